// The norms of queries and keys in multi-head attention: their trace in any layout, and wrong
// input. layer_test.cc compares outputs and gradients.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/layers/rms_norm.h>

#include <string>

#include "core/compare.h"
#include "core/layer_case.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::LayerCase;
using testing::LayerForm;

// Attention over 2 x 3 tokens with 4 query heads of width 4 and 2 key heads, with norms per head or
// over all heads.
struct Case {
  LayerCase layer;
  MultiHeadWeights weights;
  MultiHeadOptions options;
  Buffer<float, 4> queries{{2, 4, 3, 4}}, unrotated_queries{{2, 4, 3, 4}};
  Buffer<float, 4> unnormed_queries{{2, 4, 3, 4}}, heads{{2, 4, 3, 4}};
  Buffer<float, 4> keys{{2, 2, 3, 4}}, values{{2, 2, 3, 4}}, unnormed_keys{{2, 2, 3, 4}};
  Buffer<float, 3> log_sum_exp{{2, 4, 3}}, query_rstd, key_rstd;
  Buffer<float, 1> d_memory, saved;

  explicit Case(bool whole)
      : layer({"", LayerForm::qwen3, 4, 2, !whole, whole}),
        weights(layer.layer.weights.self_attn),
        options(layer.layer.self_attention),
        query_rstd({2, whole ? 1 : 4, 3}),
        key_rstd({2, whole ? 1 : 2, 3}),
        d_memory({parameter_count(weights)}) {}

  // Each result in a tensor of its own, [B, H, T, D].
  MultiHeadTrace apart() {
    MultiHeadTrace trace;
    trace.queries = queries, trace.keys = keys, trace.values = values, trace.heads = heads;
    trace.attention.log_sum_exp = log_sum_exp;
    trace.unrotated_queries = unrotated_queries;
    trace.unnormed_queries = unnormed_queries, trace.unnormed_keys = unnormed_keys;
    trace.query_rstd = query_rstd, trace.key_rstd = key_rstd;
    return trace;
  }
  MultiHeadTrace laid_out() {
    return saved_in(saved, [&](SavedMemory& place) {
      return multi_head_attention_saved(layer.x.shape(), weights, options, place);
    });
  }
  void run(const MultiHeadTrace& trace) {
    multi_head_attention(layer.x, weights, options, layer.out, {}, trace);
  }
  void run_backward(const MultiHeadTrace& trace) {
    multi_head_attention_backward(
        layer.d_out, layer.x, weights, options, trace,
        {.d_x = layer.d_x,
         .weights = parameters_in<BasicMultiHeadWeights<float>>(d_memory.data(), weights)});
  }
};

TEST(QueryKeyNorm, TracesWhatItIsGivenAndWhatItGives) {
  Case c(false), plain(false);
  c.run(c.apart());
  plain.weights.q_norm = {}, plain.weights.k_norm = {}, plain.options.rotary.reset();
  MultiHeadTrace trace;
  trace.queries = plain.queries, trace.keys = plain.keys;
  plain.run(trace);
  EXPECT_TRUE(equal(c.unnormed_queries, plain.queries));
  EXPECT_TRUE(equal(c.unnormed_keys, plain.keys));
  Buffer<float, 2> normed({24, 4});
  Buffer<float, 1> rstd({24});
  const MatrixView<const float> unnormed(c.unnormed_queries.data(), {24, 4});
  rms_norm(unnormed, c.weights.q_norm, {.eps = c.options.norm_eps}, normed, {}, rstd);
  EXPECT_TRUE(equal(normed, MatrixView<const float>(c.unrotated_queries.data(), {24, 4})));
  EXPECT_TRUE(equal(rstd, VectorView<const float>(c.query_rstd.data(), {24})));
}

// The layout changes no bit.
TEST(QueryKeyNorm, TakesATraceInAnyLayout) {
  for (const bool whole : {false, true}) {
    Case c(whole), apart(whole);
    const MultiHeadTrace saved = c.laid_out(), trace = apart.apart();
    c.run(saved), apart.run(trace);
    EXPECT_TRUE(equal(c.layer.out, apart.layer.out));
    EXPECT_TRUE(equal(saved.unnormed_keys, apart.unnormed_keys));
    EXPECT_TRUE(equal(saved.query_rstd, apart.query_rstd));
    c.run_backward(saved), apart.run_backward(trace);
    EXPECT_TRUE(equal(c.layer.d_x, apart.layer.d_x));
    EXPECT_TRUE(equal(c.d_memory, apart.d_memory));
  }
}

TEST(QueryKeyNorm, RefusesWhatDoesNotFit) {
  Case c(true);
  const auto message = [&](auto change) {
    MultiHeadWeights weights = c.weights;
    MultiHeadOptions options = c.options;
    MultiHeadTrace trace = c.apart();
    change(weights, options, trace);
    return error_of(
        [&] { multi_head_attention(c.layer.x, weights, options, c.layer.out, {}, trace); });
  };
  EXPECT_EQ(message([](auto& w, auto&, auto&) { w.q_norm = w.k_norm; }),
            "multi_head_attention: q_norm.weight: shape must be [4], for each head by itself, or "
            "[16], for all together, is [8]");
  EXPECT_EQ(message([](auto&, auto& o, auto&) { o.norm_eps = HUGE_VAL; }),
            "multi_head_attention: eps: must be finite and at least 0, is inf");
  EXPECT_EQ(message([](auto& w, auto&, auto&) { w.k_norm = {}; }),
            "multi_head_attention: trace.key_rstd: there is no such norm");
  EXPECT_NE(
      message([](auto&, auto&, auto& t) {
        t.query_rstd = t.attention.log_sum_exp;
      }).find("multi_head_attention: trace.query_rstd: shape must be [2, 1, 3], is [2, 4, 3]"),
      std::string::npos);
  EXPECT_EQ(testing::max_abs(c.layer.out.view()), 0);
  c.run(c.apart());
  EXPECT_GT(testing::max_abs(c.layer.out.view()), 0);
}

}  // namespace
}  // namespace tril
