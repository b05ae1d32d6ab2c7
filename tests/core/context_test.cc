// The last argument of computing functions: omitted, threads alone, or both.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/random.h>
#include <tril/layers/activations.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/rms_norm.h>
#include <tril/matmul/matmul.h>

#include <algorithm>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

struct Inputs {
  Buffer<float, 4> q{{1, 2, 70, 8}}, k{q.shape()}, v{q.shape()};

  Inputs() {
    Random random(1);
    for (auto* tensor : {&q, &k, &v}) fill_normal(tensor->view(), random);
  }
};

bool same(const Buffer<float, 4>& a, const Buffer<float, 4>& b) {
  return std::equal(a.data(), a.data() + a.view().count(), b.data());
}

TEST(Context, GivesTheSameHoweverItIsHandedOver) {
  const Inputs in;
  Buffer<float, 4> expected(in.q.shape());
  Scratch scratch;
  Parallel one, three(3);
  attention(in.q, in.k, in.v, {.causal = true}, expected, {scratch, one});
  EXPECT_GT(scratch.capacity(), 0u);
  const Context given(scratch, three);
  Buffer<float, 4> out(in.q.shape());
  attention(in.q, in.k, in.v, {.causal = true}, out, given);
  EXPECT_TRUE(same(out, expected));
  Buffer<float, 4> alone(in.q.shape()), threaded(in.q.shape());
  attention(in.q, in.k, in.v, {.causal = true}, alone);
  attention(in.q, in.k, in.v, {.causal = true}, threaded, three);
  EXPECT_TRUE(same(alone, expected));
  EXPECT_TRUE(same(threaded, expected));
}

// An omitted output is returned.
TEST(Context, ComesAfterAnOutputOrAlone) {
  Random random(2);
  Buffer<float, 2> x({5, 7}), weight({3, 7}), out(x.shape()), narrow({5, 3});
  Buffer<float, 1> scale({7}), bias({3});
  fill_normal(x.view(), random), fill_normal(weight.view(), random);
  fill_normal(scale.view(), random), fill_normal(bias.view(), random);
  Parallel three(3);
  const auto expect_out = [&](const Buffer<float, 2>& made) {
    EXPECT_TRUE(testing::equal(out, made));
  };
  activate(Activation::silu, x, out), expect_out(activate(Activation::silu, x));
  expect_out(activate(Activation::silu, x, three));
  layer_norm(x, {}, {}, {}, out), expect_out(layer_norm(x));
  layer_norm(x, scale, {}, {.eps = 0}, out);
  expect_out(layer_norm(x, scale, {}, {.eps = 0}, three));
  rms_norm(x, {}, {}, out), expect_out(rms_norm(x));
  rms_norm(x, scale, {.eps = 0}, out), expect_out(rms_norm(x, scale, {.eps = 0}, three));
  linear(x, weight, bias, narrow);
  EXPECT_TRUE(testing::equal(narrow, linear(x, weight, bias, three)));
  linear(x, weight, {}, narrow);
  EXPECT_TRUE(testing::equal(narrow, linear(x, weight)));
  matmul(x, weight, {.transpose_b = true}, narrow);
  EXPECT_TRUE(testing::equal(narrow, matmul(x, weight, {.transpose_b = true}, three)));
  Buffer<float, 2> square({7, 3});
  matmul(x, narrow, {.transpose_a = true}, square);
  EXPECT_TRUE(testing::equal(square, matmul(x, narrow, {.transpose_a = true})));
  matmul(x, square, {}, narrow);
  EXPECT_TRUE(testing::equal(narrow, matmul(x, square)));
  const Inputs in;
  Buffer<float, 4> seen(in.q.shape());
  attention(in.q, in.k, in.v, {}, seen);
  EXPECT_TRUE(same(seen, attention(in.q, in.k, in.v)));
  attention(in.q, in.k, in.v, {.causal = true}, seen);
  EXPECT_TRUE(same(seen, attention(in.q, in.k, in.v, {.causal = true}, three)));
  EXPECT_EQ(testing::error_of([&] { matmul(x, weight); }).substr(0, 10), "matmul: b:");
  EXPECT_EQ(testing::error_of([] { activate(Activation::relu, {}); }), "relu: x: no tensor given");
}

TEST(Context, LeftOutIsTheCallingThread) {
  const Context left_out;
  EXPECT_EQ(left_out.parallel.threads(), 1);
  Parallel three(3);
  const Context threads(three);
  EXPECT_EQ(&threads.parallel, &three);
  EXPECT_EQ(&threads.scratch, &left_out.scratch);
}

TEST(Context, IsEachThreadsOwn) {
  const Inputs in;
  Buffer<float, 4> expected(in.q.shape());
  attention(in.q, in.k, in.v, {}, expected);
  const Scratch* const here = &Context().scratch;
  std::vector<Buffer<float, 4>> outs;
  for (int i = 0; i < 12; ++i) outs.emplace_back(in.q.shape());
  Parallel threads(3);
  threads.for_each(12, [&](Index item, int worker) {
    EXPECT_EQ(&Context().scratch == here, worker == 0);
    attention(in.q, in.k, in.v, {}, outs[static_cast<std::size_t>(item)]);
  });
  for (const Buffer<float, 4>& out : outs) EXPECT_TRUE(same(out, expected));
}

TEST(Context, IsGoodAfterAnError) {
  const Inputs in;
  Buffer<float, 4> wrong({1, 2, 69, 8}), out(in.q.shape()), expected(in.q.shape());
  Scratch scratch;
  Parallel one;
  attention(in.q, in.k, in.v, {}, expected, {scratch, one});
  EXPECT_THROW(attention(in.q, in.k, in.v, {}, wrong), Error);
  attention(in.q, in.k, in.v, {}, out);
  EXPECT_TRUE(same(out, expected));
}

}  // namespace
}  // namespace tril
