// The last argument of what computes: left out, threads alone, or both.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/random.h>

#include <algorithm>
#include <vector>

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
