// The gradients of linear and embedding: exact for small integers, otherwise within the bound of a
// product of floats.
#include <gtest/gtest.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>

#include <string>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::elements;
using testing::equal;
using testing::error_of;
using testing::kRounding;
using testing::uniform;

template <int Rank>
Buffer<float, Rank> integers(const Shape<Rank>& shape, Random& random) {
  Buffer<float, Rank> buffer(shape);
  for (Index i = 0; i < buffer.view().count(); ++i) {
    buffer.data()[i] = static_cast<float>(random.below(17)) - 8;
  }
  return buffer;
}

// out[i, j] = sum over k of a[i, k] b[k, j] in double; the getters transpose.
template <typename A, typename B>
Buffer<double, 2> product(Index rows, Index depth, Index cols, const A& a, const B& b) {
  Buffer<double, 2> out({rows, cols});
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      for (Index k = 0; k < depth; ++k) {
        out.view()[i][j] += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
      }
    }
  }
  return out;
}

TEST(LinearBackward, IsExactForSmallIntegersOfEverySize) {
  Random random(96);
  Scratch scratch;
  Parallel parallel(2);
  for (const Index rows : {1, 2, 3, 7, 17, 40, 65, 300}) {
    for (const Index in : {1, 2, 5, 16, 33, 64}) {
      for (const Index width : {1, 2, 6, 31, 65}) {
        SCOPED_TRACE(shape_text<3>({rows, in, width}));
        const Buffer<float, 2> x = integers<2>({rows, in}, random);
        const Buffer<float, 2> weight = integers<2>({width, in}, random);
        const Buffer<float, 2> d_out = integers<2>({rows, width}, random);
        Buffer<float, 2> d_x({rows, in}), d_weight = integers<2>({width, in}, random);
        Buffer<float, 1> d_bias = integers<1>({width}, random);
        const Buffer<double, 2> d_x_expected = product(
            rows, width, in, [&](Index i, Index k) { return d_out.view()[i][k]; },
            [&](Index k, Index j) { return weight.view()[k][j]; });
        Buffer<double, 2> d_weight_expected = product(
            width, rows, in, [&](Index i, Index k) { return d_out.view()[k][i]; },
            [&](Index k, Index j) { return x.view()[k][j]; });
        for (Index i = 0; i < width * in; ++i) d_weight_expected.data()[i] += d_weight.data()[i];
        Buffer<double, 1> d_bias_expected({width});
        for (Index o = 0; o < width; ++o) {
          d_bias_expected.view()[o] = d_bias.view()[o];
          for (Index n = 0; n < rows; ++n) d_bias_expected.view()[o] += d_out.view()[n][o];
        }
        linear_backward(d_out, x, weight, {d_x, d_weight, d_bias}, {scratch, parallel});
        ASSERT_TRUE(equal(d_x_expected, d_x));
        ASSERT_TRUE(equal(d_weight_expected, d_weight));
        ASSERT_TRUE(equal(d_bias_expected, d_bias));
      }
    }
  }
}

TEST(LinearBackward, DoesNotDependOnThreads) {
  Random random(97);
  Scratch scratch;
  Parallel one(1), three(3);
  const Buffer<float, 2> x = uniform<2>({260, 70}, random), weight = uniform<2>({90, 70}, random);
  const Buffer<float, 2> d_out = uniform<2>({260, 90}, random);
  Buffer<float, 2> d_x({260, 70}), d_weight({90, 70}), d_x_again({260, 70}), again({90, 70});
  Buffer<float, 1> d_bias({90}), bias_again({90});
  linear_backward(d_out, x, weight, {d_x, d_weight, d_bias}, {scratch, one});
  linear_backward(d_out, x, weight, {d_x_again, again, bias_again}, {scratch, three});
  EXPECT_TRUE(equal(d_x, d_x_again));
  EXPECT_TRUE(equal(d_weight, again));
  EXPECT_TRUE(equal(d_bias, bias_again));
}

TEST(LinearBackward, LooksOnlyAtWhatItNeeds) {
  Random random(98);
  const Buffer<float, 2> x = uniform<2>({4, 3}, random), weight = uniform<2>({5, 3}, random);
  const Buffer<float, 2> d_out = uniform<2>({4, 5}, random);
  Buffer<float, 2> d_x({4, 3}), alone({4, 3}), d_weight({5, 3}), weight_alone({5, 3});
  linear_backward(d_out, x, weight, {d_x, d_weight});
  linear_backward(d_out, {}, weight, {.d_x = alone});
  linear_backward(d_out, x, {}, {.d_weight = weight_alone});
  EXPECT_TRUE(equal(d_x, alone));
  EXPECT_TRUE(equal(d_weight, weight_alone));
}

TEST(LinearBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> x({4, 3}), weight({5, 3}), d_out({4, 5}), d_x({4, 3}), d_weight({5, 3});
  Buffer<float, 1> d_bias({5}), short_bias({4});
  std::fill_n(d_out.data(), 20, 1.0f);
  d_x.data()[0] = 7;
  const auto message = [&](MatrixView<const float> input, MatrixView<const float> matrix,
                           const LinearGradients& gradients) {
    return error_of([&] { linear_backward(d_out, input, matrix, gradients); });
  };
  EXPECT_EQ(message(x, {}, {d_x}), "linear_backward: weight: no tensor given");
  EXPECT_EQ(message({}, weight, {d_x, d_weight}), "linear_backward: x: no tensor given");
  EXPECT_EQ(message(x, weight, {weight}),
            "linear_backward: d_x: shape must be [4, 3], is [5, 3]; d_out is [4, 5], x is [4, 3], "
            "weight is [5, 3]");
  EXPECT_EQ(message(x, weight, {d_x, d_weight, short_bias}),
            "linear_backward: d_bias: shape must be [5], is [4]; d_out is [4, 5], x is [4, 3], "
            "weight is [5, 3]");
  EXPECT_NE(message(x, weight, {x}).find("shares memory"), std::string::npos);
  EXPECT_EQ(d_x.data()[0], 7);
  EXPECT_EQ(d_weight.data()[0], 0);
  linear_backward(d_out, x, weight, {d_x, d_weight, d_bias});
  EXPECT_EQ(d_x.data()[0], 0);
  EXPECT_EQ(d_bias.data()[0], 4);
}

TEST(EmbeddingBackward, AddsEachRowToWhereItCameFrom) {
  Random random(99);
  for (const int threads : {1, 3}) {
    Parallel parallel(threads);
    const Index tokens = 57, rows = 9, cols = 150;
    const Buffer<float, 2> d_out = integers<2>({tokens, cols}, random);
    Buffer<float, 2> d_table = integers<2>({rows, cols}, random);
    Buffer<double, 2> expected({rows, cols});
    std::copy_n(d_table.data(), rows * cols, expected.data());
    Buffer<std::int32_t, 1> ids({tokens});
    for (Index n = 0; n < tokens; ++n) {
      ids.view()[n] = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(rows)));
      for (Index c = 0; c < cols; ++c) expected.view()[ids.view()[n]][c] += d_out.view()[n][c];
    }
    embedding_backward(d_out, ids, d_table, parallel);
    EXPECT_TRUE(equal(expected, d_table));
  }
}

TEST(EmbeddingBackward, RejectsAnIdThatIsNoRowAndWritesNothing) {
  Buffer<float, 2> d_out({2, 3}), d_table({4, 3});
  std::fill_n(d_out.data(), 6, 1.0f);
  Buffer<std::int32_t, 1> ids({2});
  ids.data()[1] = 4;
  EXPECT_EQ(error_of([&] { embedding_backward(d_out, ids, d_table); }),
            "embedding_backward: ids: id 4 at 1 is not a row of d_table [4, 3]");
  EXPECT_EQ(testing::max_abs(d_table.view()), 0);
  ids.data()[1] = 0;
  embedding_backward(d_out, ids, d_table);
  EXPECT_EQ(d_table.data()[0], 2);
}

}  // namespace
}  // namespace tril
