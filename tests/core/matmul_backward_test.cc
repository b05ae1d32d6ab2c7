// The gradients of products of stacks: exact for small integers, by the definition, for every way
// of transposing and broadcasting.
#include <gtest/gtest.h>
#include <tril/matmul/matmul_backward.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/matmul_cases.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

Buffer<float, 4> integers(const Shape<4>& shape, Random& random) {
  Buffer<float, 4> buffer(shape);
  for (Index i = 0; i < buffer.view().count(); ++i) {
    buffer.data()[i] = static_cast<float>(random.below(9)) - 4;
  }
  return buffer;
}

// A product of stacks with two batch axes, and all inputs and outputs of its backward pass.
struct Case {
  MatmulOptions options;
  Buffer<float, 4> a, b, d_out, d_a, d_b;
  Buffer<double, 4> d_a_expected, d_b_expected;

  Case(const Shape<2>& of_a, const Shape<2>& of_b, const Shape<3>& size, bool ta, bool tb,
       float alpha = 1) {
    Random random(170);
    const auto [rows, cols, depth] = size;
    options.transpose_a = ta, options.transpose_b = tb, options.alpha = alpha;
    a = integers({of_a[0], of_a[1], ta ? depth : rows, ta ? rows : depth}, random);
    b = integers({of_b[0], of_b[1], tb ? cols : depth, tb ? depth : cols}, random);
    d_out = integers({std::max(of_a[0], of_b[0]), std::max(of_a[1], of_b[1]), rows, cols}, random);
    d_a = Buffer<float, 4>(a.shape()), d_b = Buffer<float, 4>(b.shape());
    d_a_expected = Buffer<double, 4>(a.shape()), d_b_expected = Buffer<double, 4>(b.shape());
    for (Buffer<float, 4>* each : {&d_a, &d_b}) {  // overwritten, not added to
      std::fill_n(each->data(), each->view().count(), std::numeric_limits<float>::quiet_NaN());
    }
    // out[n, m, i, j] = alpha sum over k of op(a)[i, k] op(b)[k, j]: each product contributes to
    // both gradients.
    const auto at = [](auto& stack, Index n, Index m, bool transposed, Index i, Index j) -> auto& {
      const auto view = stack.view();
      const auto matrix = view[view.size(0) == 1 ? 0 : n][view.size(1) == 1 ? 0 : m];
      return transposed ? matrix[j][i] : matrix[i][j];
    };
    for (Index n = 0; n < d_out.shape()[0]; ++n) {
      for (Index m = 0; m < d_out.shape()[1]; ++m) {
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < cols; ++j) {
            const double d = static_cast<double>(alpha) * d_out.view()[n][m][i][j];
            for (Index k = 0; k < depth; ++k) {
              at(d_a_expected, n, m, ta, i, k) += d * at(b, n, m, tb, k, j);
              at(d_b_expected, n, m, tb, k, j) += d * at(a, n, m, ta, i, k);
            }
          }
        }
      }
    }
  }

  void run(int threads = 1) {
    Scratch scratch;
    Parallel parallel(threads);
    matmul_backward(d_out.view(), a.view(), b.view(), options, {d_a.view(), d_b.view()},
                    {scratch, parallel});
  }
  void expect_all() const {
    EXPECT_TRUE(equal(d_a_expected, d_a));
    EXPECT_TRUE(equal(d_b_expected, d_b));
  }
};

TEST(MatmulBackward, IsExactForEveryTransposeAndBroadcast) {
  const Shape<2> batches[] = {{2, 3}, {1, 3}, {2, 1}, {1, 1}};
  for (const Shape<2>& of_a : batches) {
    for (const Shape<2>& of_b : batches) {
      for (const Shape<3>& size : {Shape<3>{5, 7, 4}, {1, 9, 6}, {8, 1, 3}, {17, 13, 33}}) {
        for (const bool ta : {false, true}) {
          for (const bool tb : {false, true}) {
            SCOPED_TRACE(shape_text<2>(of_a) + shape_text<2>(of_b) + shape_text<3>(size) +
                         (ta ? " a" : "") + (tb ? " b" : ""));
            Case c(of_a, of_b, size, ta, tb, 2);
            c.run(ta == tb ? 1 : 3);
            c.expect_all();
          }
        }
      }
    }
  }
}

TEST(MatmulBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  const auto drawn = [] { return Case({2, 3}, {1, 3}, {40, 50, 20}, false, true); };
  Case one = drawn(), three = drawn(), alone = drawn();
  for (Case* each : {&one, &three, &alone}) {
    Random again(171);
    fill_uniform(each->a.view(), again, -1.0f, 1.0f);
    fill_uniform(each->b.view(), again, -1.0f, 1.0f);
    fill_uniform(each->d_out.view(), again, -1.0f, 1.0f);
  }
  one.run(1);
  three.run(3);
  const auto only = [&](const MatmulGradients& gradients) {
    matmul_backward(alone.d_out.view(), alone.a.view(), alone.b.view(), alone.options, gradients);
  };
  only({});
  only({.d_a = alone.d_a.view()});
  only({.d_b = alone.d_b.view()});
  for (const Case* other : {&three, &alone}) {
    EXPECT_TRUE(equal(one.d_a, other->d_a));
    EXPECT_TRUE(equal(one.d_b, other->d_b));
  }
}

// A stack without the axis along which the other repeats it, and rows with gaps.
TEST(MatmulBackward, TakesStacksOfFewerAxesAndRowsFromAnywhere) {
  Case c({2, 3}, {1, 1}, {5, 6, 7}, false, false);
  c.run();
  Buffer<float, 4> wide_a({2, 3, 6, 9}), wide_d_a({2, 3, 5, 8});
  const TensorView<float, 4> a(wide_a.data(), {2, 3, 5, 7}, {162, 54, 9, 1});
  const TensorView<float, 4> d_a(wide_d_a.data(), {2, 3, 5, 7}, {120, 40, 8, 1});
  for (Index i = 0; i < 2 * 3 * 5; ++i) {
    std::copy_n(c.a.data() + i * 7, 7, a[i / 15][i / 5 % 3][i % 5].data());
  }
  Buffer<float, 2> d_b({7, 6});
  const MatrixView<const float> b(c.b.data(), {7, 6});
  matmul_backward(c.d_out.view(), a, b, {}, {d_a, d_b.view()});
  EXPECT_TRUE(equal(c.d_a.view(), d_a));
  EXPECT_TRUE(equal(c.d_b.view()[0][0], d_b.view()));
  EXPECT_EQ(wide_d_a.view()[1][1][1][7], 0);
}

TEST(MatmulBackward, SumsOverNothingAreZero) {
  float a[12], b[12], d_a[12], d_b[12];
  std::fill_n(d_a, 12, 7.0f), std::fill_n(d_b, 12, 7.0f);
  const auto stack = [](float* data, const Shape<3>& shape) {
    return TensorView<float, 3>(data, shape);
  };
  // No columns: the gradient of a is 0. No matrices: so is that of the single b for all of them.
  matmul_backward(stack(a, {1, 3, 0}), stack(a, {1, 3, 4}), stack(b, {1, 4, 0}), {},
                  {stack(d_a, {1, 3, 4}), {}});
  matmul_backward(stack(a, {0, 3, 3}), stack(a, {0, 3, 4}), stack(b, {1, 4, 3}), {},
                  {{}, stack(d_b, {1, 4, 3})});
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(d_a[i], 0);
    EXPECT_EQ(d_b[i], 0);
  }
}

TEST(MatmulBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c({2, 3}, {1, 3}, {5, 6, 7}, false, false);
  std::fill_n(c.d_a.data(), c.d_a.view().count(), 7.0f);
  std::fill_n(c.d_b.data(), c.d_b.view().count(), 7.0f);
  const auto message = [&](const TensorView<const float, 4>& d_out, const MatmulOptions& options,
                           const MatmulGradients& gradients) {
    return error_of([&] { matmul_backward(d_out, c.a.view(), c.b.view(), options, gradients); });
  };
  const MatmulGradients both{c.d_a.view(), c.d_b.view()};
  EXPECT_EQ(message(c.a.view(), {}, both),
            "matmul_backward: d_out: shape must be [2, 3, 5, 6], is [2, 3, 5, 7]; a is [2, 3, 5, "
            "7], b is [1, 3, 7, 6]");
  EXPECT_EQ(message(c.d_out.view(), {.transpose_b = true}, both),
            "matmul_backward: b: depth 6 does not match a's depth 7; a is [2, 3, 5, 7], b is [1, "
            "3, 7, 6]");
  EXPECT_EQ(message(c.d_out.view(), {.alpha = NAN}, both),
            "matmul_backward: alpha: must be finite, is nan");
  EXPECT_EQ(message(c.d_out.view(), {}, {c.d_b.view(), {}}),
            "matmul_backward: d_a: shape must be [2, 3, 5, 7], is [1, 3, 7, 6]; a is [2, 3, 5, 7], "
            "b is [1, 3, 7, 6]");
  EXPECT_NE(message(c.d_out.view(), {}, {{}, c.b.view()}).find("d_b: shares memory"),
            std::string::npos);
  const TensorView<float, 4> folded(c.d_b.data(), {1, 3, 7, 6}, {126, 0, 6, 1});
  EXPECT_NE(message(c.d_out.view(), {}, {{}, folded}).find("d_b: its elements overlap"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              matmul_backward(c.d_out.view(), {}, c.b.view(), {}, both);
            }).find("a: no tensor given"),
            std::string::npos);
  Buffer<float, 4> four({4, 3, 5, 7});
  EXPECT_NE(error_of([&] {
              matmul_backward(c.d_out.view(), four.view(),
                              Case({2, 3}, {2, 3}, {5, 6, 7}, 0, 0).b.view(), {}, both);
            }).find("matmul_backward: b: batch axes do not broadcast"),
            std::string::npos);
  EXPECT_EQ(c.d_a.data()[0], 7);
  EXPECT_EQ(c.d_b.data()[0], 7);
  c.run();
  c.expect_all();
}

}  // namespace
}  // namespace tril
