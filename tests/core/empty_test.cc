// Axes of length 0, as in NumPy and PyTorch: empty sums are 0, tensors without elements stay
// unchanged, and operations without a meaning for them are refused.
#include <gtest/gtest.h>
#include <tril/attention/mask.h>
#include <tril/attention/triangular.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/compare.h>
#include <tril/foundation/statistics.h>
#include <tril/layers/activations.h>
#include <tril/layers/embedding.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/positions.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/softmax.h>
#include <tril/matmul/batched.h>

#include <cmath>

#include "core/compare.h"
#include "core/sevens.h"

namespace tril {
namespace {

using testing::all_are, testing::error_of, testing::sevens;

TEST(Empty, IsATensorAllTheSame) {
  Buffer<float, 2> none({3, 0});
  EXPECT_TRUE(none.view());
  EXPECT_EQ(none.view().count(), 0);
  EXPECT_NO_THROW(check_view(none.view(), "f", "x", Empty::allowed));
  EXPECT_EQ(error_of([&] { check_view(none.view(), "f", "x"); }),
            "f: x: every axis must be at least 1; shape is [3, 0]");
}

TEST(Empty, ProductsOverNoTermsAreZero) {
  Scratch scratch;
  Parallel parallel(2);
  for (const MatmulMethod method :
       {MatmulMethod::automatic, MatmulMethod::ijk, MatmulMethod::blocked, MatmulMethod::tiled,
        MatmulMethod::strassen, MatmulMethod::eigen}) {
    for (const Index rows : {0, 1, 3}) {
      for (const Index cols : {0, 1, 5}) {
        const Buffer<float, 2> a({rows, 0}), b({0, cols});
        Buffer<float, 2> out = sevens<2>({rows, cols});
        matmul(a, b, {.method = method, .accumulate = true}, out, {scratch, parallel});
        EXPECT_TRUE(all_are(out, 7));
        matmul(a, b, {.method = method}, out, {scratch, parallel});
        EXPECT_TRUE(all_are(out, 0));
        const Buffer<float, 2> deep({rows, 4}), wide({4, cols});
        if (rows * cols == 0) matmul(deep, wide, {.method = method}, out, {scratch, parallel});
        Buffer<float, 3> batch = sevens<3>({2, rows, cols}), no_batch({0, rows, cols});
        const Buffer<float, 3> left({2, rows, 0}), none({0, rows, 4});
        batched_matmul(left.view(), b.view(), {.method = method}, batch.view(),
                       {scratch, parallel});
        EXPECT_TRUE(all_are(batch, 0));
        batched_matmul(none.view(), wide.view(), {.method = method}, no_batch.view(),
                       {scratch, parallel});
      }
    }
  }
}

TEST(Empty, LinearLayersLeaveTheBias) {
  for (const Index rows : {0, 1, 3}) {
    const Buffer<float, 2> x({rows, 0}), weight({5, 0});
    const Buffer<float, 1> bias = sevens<1>({5});
    Buffer<float, 2> out({rows, 5});
    linear(x, weight, bias, out);
    EXPECT_TRUE(all_are(out, 7));
    // Without hidden units two linear layers give the second one's bias.
    const Buffer<float, 2> wide = sevens<2>({rows, 5}), in({0, 5});
    feed_forward(wide, {{in, {}}, {weight, bias}}, Activation::relu, out);
    EXPECT_TRUE(all_are(out, 7));
    Buffer<float, 2> narrow({rows, 0});
    linear(wide, in, {}, narrow);
  }
}

TEST(Empty, WhatHasNoElementsIsLeftAlone) {
  Parallel parallel(2);
  for (const Shape<2> shape : {Shape<2>{0, 4}, {3, 0}, {0, 0}}) {
    Buffer<float, 2> x(shape), out(shape);
    softmax(x, {}, out, parallel);
    log_softmax(x, {}, x, parallel);
    softmax(x, {.axis = 0}, out, parallel);
    layer_norm(x, {}, {}, {}, out, parallel);
    rms_norm(x, {}, {}, x, parallel);
    for (const auto& [name, activation] : kActivations) activate(activation, x, out, parallel);
    triangular(x, {}, out);
    if (shape[1] % 2 == 0) sinusoidal_positions({}, out);
    EXPECT_EQ(
        compare(VectorView<const float>(x.data(), {0}), VectorView<const float>(out.data(), {0}))
            .count,
        0);
  }
  Buffer<float, 4> heads({2, 3, 0, 8});
  const Buffer<float, 3> table({2, 0, 4});
  rotary_positions(heads, table, table, RotaryPairs::halves, heads, parallel);
  const Buffer<std::int32_t, 1> ids({0});
  const Buffer<float, 2> vectors({5, 3}), no_rows({0, 3});
  Buffer<float, 2> picked({0, 3});
  embedding(ids, vectors, picked);
  embedding(ids, no_rows, picked);
}

TEST(Empty, TheMeanOfNothingIsNaN) {
  Parallel parallel;
  const Buffer<float, 2> x({3, 0});
  Buffer<float, 2> out({3, 0});
  Buffer<float, 1> mean({3}), rstd({3});
  layer_norm(x, {}, {}, {}, out, parallel, {mean, rstd});
  for (Index n = 0; n < 3; ++n) {
    EXPECT_TRUE(std::isnan(mean.data()[n]));
    EXPECT_TRUE(std::isnan(rstd.data()[n]));
  }
  EXPECT_EQ(error_of([&] { statistics(VectorView<const float>(x.data(), {0})); }),
            "statistics: x: every axis must be at least 1; shape is [0]");
}

TEST(Empty, MasksHaveNothingToHide) {
  const Buffer<float, 4> dense({1, 1, 2, 0});
  Buffer<float, 4> no_batch({0, 1, 2, 3}), no_query({2, 1, 0, 3}), no_key({2, 1, 2, 0});
  EXPECT_NO_THROW(mask_values(Mask::padding({}), 0, no_batch));
  for (Buffer<float, 4>* each : {&no_batch, &no_query, &no_key}) {
    EXPECT_NO_THROW(mask_values(Mask::causal() & Mask::strided(1, 2), 1, *each));
  }
  EXPECT_NO_THROW(mask_values(Mask::additive(dense), 0, no_key));
  EXPECT_EQ(error_of([&] { mask_values(Mask::additive(dense), 0, no_query); }),
            "mask_values: mask: a dense mask [1, 1, 2, 0] does not broadcast to the scores; scores "
            "are [2, 1, 0, 3]");
  // Keys beyond the end of a mask that may be short are hidden: here all of them.
  Buffer<float, 4> out({1, 1, 2, 1});
  mask_values(Mask::additive(dense, FewerKeys::hidden), 0, out);
  EXPECT_TRUE(all_are(out, -INFINITY));
}

TEST(Empty, ShapesMustFitAllTheSame) {
  const Buffer<float, 2> a({3, 0}), b({4, 5}), none({0, 5});
  Buffer<float, 2> out({3, 5}), shorter({2, 5});
  EXPECT_EQ(error_of([&] { matmul(a, b, {}, out); }),
            "matmul: b: depth 4 does not match a's depth 0; a is [3, 0], b is [4, 5]");
  EXPECT_EQ(error_of([&] { matmul(a, none, {}, shorter); }),
            "matmul: out: shape must be [3, 5], is [2, 5]; a is [3, 0], b is [0, 5]");
  EXPECT_EQ(error_of([&] { matmul(a, none, {.method = static_cast<MatmulMethod>(99)}, out); }),
            "matmul: method: there is no method number 99");
}

}  // namespace
}  // namespace tril
