// Stacks of products: NumPy's broadcasting, strides of every kind, wrong input.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/matmul/batched.h>

#include "core/matmul_cases.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

class BatchedMatmul : public ::testing::TestWithParam<MatmulMethod> {
 protected:
  // Compares the products of all matrices of a and b, one by one, with the whole batch.
  void expect_products(const TensorView<const float, 4>& a, const TensorView<const float, 4>& b,
                       const MatmulOptions& options, const TensorView<float, 4>& out,
                       Parallel& parallel) {
    MatmulOptions with_method = options;
    with_method.method = GetParam();
    batched_matmul(a, b, with_method, out, {scratch_, parallel});
    for (Index n = 0; n < out.size(0); ++n) {
      for (Index m = 0; m < out.size(1); ++m) {
        Buffer<double, 2> expected({out.size(2), out.size(3)});
        const auto matrix = [&](const TensorView<const float, 4>& stack) {
          return stack[stack.size(0) == 1 ? 0 : n][stack.size(1) == 1 ? 0 : m];
        };
        matmul_reference(matrix(a), matrix(b), options, expected);
        ASSERT_TRUE(equal(expected, out[n][m])) << "product " << n << ", " << m;
      }
    }
  }
  Buffer<float, 4> integers(const Shape<4>& shape) {
    Buffer<float, 4> buffer(shape);
    for (Index n = 0; n < shape[0]; ++n) {
      for (Index m = 0; m < shape[1]; ++m) testing::fill_integers(buffer.view()[n][m], random_);
    }
    return buffer;
  }

  Random random_{6};
  Scratch scratch_;
  Parallel one_{1}, three_{3};
};

TEST_P(BatchedMatmul, BroadcastsEitherSide) {
  const Shape<2> batches[] = {{2, 3}, {1, 3}, {2, 1}, {1, 1}};
  for (const Shape<2>& of_a : batches) {
    for (const Shape<2>& of_b : batches) {
      for (const Shape<3>& size : {Shape<3>{5, 7, 4}, {1, 9, 6}, {8, 1, 3}, {70, 130, 20}}) {
        const auto [rows, cols, depth] = size;
        const Buffer<float, 4> a = integers({of_a[0], of_a[1], rows, depth}),
                               b = integers({of_b[0], of_b[1], depth, cols});
        Buffer<float, 4> out({std::max(of_a[0], of_b[0]), std::max(of_a[1], of_b[1]), rows, cols});
        expect_products(a, b, {}, out, one_);
        expect_products(a, b, {}, out, three_);
      }
    }
  }
}

// Heads inside a projection, scores with transposed keys, written into heads again: no copies.
TEST_P(BatchedMatmul, TakesStridedHeads) {
  const Index batch = 2, heads = 3, time = 17, width = 8;
  const Shape<4> shape{batch, heads, time, width};
  const Shape<4> strides{time * heads * width, width, heads * width, 1};
  const Buffer<float, 4> queries = integers({1, 1, batch * time, heads * width}),
                         keys = integers({1, 1, batch * time, heads * width});
  const TensorView<const float, 4> q(queries.data(), shape, strides),
      k(keys.data(), shape, strides);
  Buffer<float, 4> scores({batch, heads, time, time});
  expect_products(q, k, {.transpose_b = true}, scores, one_);
  expect_products(q, k, {.transpose_b = true}, scores, three_);

  Buffer<float, 4> projected({1, 1, batch * time, heads * width});
  const TensorView<float, 4> out(projected.data(), shape, strides);
  const Buffer<float, 4> weights = integers({batch, heads, time, time});
  expect_products(weights, k, {.alpha = 2}, out, three_);
  expect_products(weights, k, {.transpose_a = true}, out, three_);
}

TEST_P(BatchedMatmul, TakesRowsThatFollowOnOneAnotherAsOneProduct) {
  const Buffer<float, 4> a = integers({2, 3, 1, 6}), b = integers({1, 1, 6, 70});
  Buffer<float, 4> out({2, 3, 1, 70});
  expect_products(a, b, {}, out, one_);
  // Rows of a further apart than those of out, and a transposed out.
  const TensorView<const float, 4> apart(a.data(), {1, 2, 2, 3}, {0, 18, 6, 1});
  const Buffer<float, 4> c = integers({1, 1, 3, 5});
  Buffer<float, 4> small({1, 2, 2, 5}), turned({1, 2, 3, 5});
  expect_products(apart, c, {}, small, one_);
  const Buffer<float, 4> d = integers({1, 1, 2, 5});
  expect_products(apart, d, {.transpose_a = true}, turned, one_);
}

INSTANTIATE_TEST_SUITE_P(Methods, BatchedMatmul,
                         ::testing::Values(MatmulMethod::automatic, MatmulMethod::tiled,
                                           MatmulMethod::strassen, MatmulMethod::eigen,
                                           MatmulMethod::ikj));

TEST(BatchedMatmulRanks, AlignAtTheLastAxis) {
  Scratch scratch;
  Parallel parallel(1);
  Buffer<float, 5> a({2, 1, 3, 1, 2});
  Buffer<float, 3> b({4, 2, 1});
  Buffer<float, 5> out({2, 4, 3, 1, 1});
  EXPECT_EQ(error_of([&] {
              batched_matmul(a.view(), b.view(), {}, out.view(), {scratch, parallel});
            }),
            "batched_matmul: b: batch axes do not broadcast; a is [2, 1, 3, 1, 2], b is [4, 2, 1]");
  Buffer<float, 3> c({3, 2, 1});
  Buffer<float, 5> fits({2, 1, 3, 1, 1});
  for (Index i = 0; i < 12; ++i) a.data()[i] = static_cast<float>(i);
  for (Index i = 0; i < 6; ++i) c.data()[i] = static_cast<float>(i % 2 == 0 ? 1 : 10 * i);
  batched_matmul(a.view(), c.view(), {}, fits.view(), {scratch, parallel});
  EXPECT_EQ(fits.view()[1][0][2][0][0], 10.0f + 11 * 50);
}

class BatchedMatmulErrors : public ::testing::Test {
 protected:
  std::string error(const AnyView<const float>& a, const AnyView<const float>& b,
                    const MatmulOptions& options, const AnyView<float>& out) {
    return error_of([&] { batched_matmul(a, b, options, out, {scratch_, parallel_}); });
  }
  Buffer<float, 3> a_{{2, 3, 4}}, b_{{2, 4, 5}}, out_{{2, 3, 5}};
  Scratch scratch_;
  Parallel parallel_{1};
};

TEST_F(BatchedMatmulErrors, NameTheArgumentAndTheShapes) {
  Buffer<float, 2> flat({3, 5});
  EXPECT_EQ(
      error(a_.view(), b_.view(), {}, flat.view()),
      "batched_matmul: out: shape must be [2, 3, 5], is [3, 5]; a is [2, 3, 4], b is [2, 4, 5]");
  Buffer<float, 3> three({3, 3, 5});
  EXPECT_EQ(error(a_.view(), b_.view(), {}, three.view()),
            "batched_matmul: out: shape must be [2, 3, 5], is [3, 3, 5]; a is [2, 3, 4], "
            "b is [2, 4, 5]");
  EXPECT_EQ(error(a_.view(), a_.view(), {}, out_.view()),
            "batched_matmul: b: depth 3 does not match a's depth 4; a is [3, 4], b is [3, 4]");
  AnyView<const float> empty = a_.view();
  empty.shape[0] = -1;
  EXPECT_EQ(error(empty, b_.view(), {}, out_.view()),
            "batched_matmul: a: every axis must be at least 0; shape is [-1, 3, 4]");
  AnyView<const float> many = a_.view();
  many.shape.rank = 9;
  EXPECT_EQ(error(many, b_.view(), {}, out_.view()),
            "batched_matmul: a: must have 2 to 8 axes, has 9");
  EXPECT_EQ(error(a_.view(), b_.view(), {.method = static_cast<MatmulMethod>(99)}, out_.view()),
            "batched_matmul: method: there is no method number 99");
}

TEST_F(BatchedMatmulErrors, RejectOverlap) {
  const TensorView<float, 3> repeated(out_.data(), {2, 3, 5}, {0, 5, 1});
  EXPECT_EQ(error(a_.view(), b_.view(), {}, repeated),
            "batched_matmul: out: its elements overlap; shape is [2, 3, 5], strides are [0, 5, 1]");
  // The second matrix of b begins where out does, the first lies before it.
  Buffer<float, 1> both({60});
  const TensorView<const float, 3> b(both.data(), {2, 4, 5}, {30, 5, 1});
  const TensorView<float, 3> out(both.data() + 30, {2, 3, 5});
  EXPECT_NE(error(a_.view(), b, {}, out).find("out: shares memory"), std::string::npos);
}

}  // namespace
}  // namespace tril
