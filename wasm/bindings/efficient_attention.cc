#include <emscripten/bind.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/low_rank_attention.h>

#include <optional>
#include <string>
#include <string_view>

#include "guard.h"
#include "layouts.h"
#include "mask.h"
#include "traces.h"
#include "weights.h"

namespace tril::js {

namespace {

struct LinearAttentionOptions {
  std::string feature_map;  // "elu_plus_one" or "identity"
  std::string order;        // "values_first" or "scores_first"
  bool causal;
  bool normalise;
  int heads;     // as in AttentionOptions
  int kv_heads;  // as in AttentionOptions
  bool need_weights;
};

struct LowRankOptions {
  std::optional<double> scale;
  int heads;     // as in AttentionOptions
  int kv_heads;  // as in AttentionOptions
  bool trace;
};

// The queries, keys and values of all heads, and the output.
struct Heads {
  HeadLayout layout;
  TensorView<const float, 4> query, key, value;

  Heads(const Tensor& q, const Tensor& k, const Tensor& v, int heads, int kv_heads,
        const char* call)
      : layout(q, heads, call),
        query(layout.view(q, heads, call, "query")),
        key(layout.view(k, kv_heads, call, "key")),
        value(layout.view(v, kv_heads, call, "value")) {}

  DynamicShape output_shape() const {
    return layout.tensor_shape({query.size(0), query.size(1), query.size(2), value.size(3)});
  }
  // The shape of scores, [B, H, T, S], with S keys.
  Shape<4> scores(Index keys) const { return {query.size(0), query.size(1), query.size(2), keys}; }
};

// query [B, T, Dq], key [B, S, Dk], value [B, S, Dv], or all without B. `weights`: w_q [A, Dq], w_k
// [A, Dk], v [A]. Gives output (unless `out` was written) and, with a trace, queries, keys, scores,
// masked and weights.
NamedTensors additive_attention(Engine& engine, const Tensor& query, const Tensor& key,
                                const Tensor& value, const NamedTensors& weights,
                                const MaskRules& mask_rules, bool trace, Tensor* out) {
  constexpr const char* kCall = "additive_attention";
  const auto q = sequences(query, query, kCall, "query");
  const auto k = sequences(key, query, kCall, "key"), v = sequences(value, query, kCall, "value");
  const MaskArgument mask(mask_rules, kCall);
  const auto parts = read_weights<AdditiveWeights>(weights, kCall);
  if (!parts.query) fail(kCall, "w_q", "no tensor given");

  Results results(engine, kCall);
  const Output output(engine, out, with_width(query.shape(), v.size(2)), kCall);
  if (!out) results.add("output", output.handle());
  AdditiveTrace core_trace;
  if (trace) {
    const Traces traces(results, left_out(query));
    const Index batches = q.size(0), width = parts.query.size(0);
    const Shape<3> scores{batches, q.size(1), k.size(1)};
    core_trace.queries = traces.make("queries", Shape<3>{batches, q.size(1), width});
    core_trace.keys = traces.make("keys", Shape<3>{batches, k.size(1), width});
    core_trace.scores = traces.make("scores", scores);
    core_trace.masked = traces.make("masked", scores);
    core_trace.weights = traces.make("weights", scores);
  }
  tril::additive_attention(q, k, v, parts, mask.mask(), sequences(*output, query, kCall, "out"),
                           engine.context, core_trace);
  return results.hand_over();
}

// Inputs as for attention. Gives output (unless `out` was written) and, if asked for, weights.
NamedTensors linear_attention(Engine& engine, const Tensor& query, const Tensor& key,
                              const Tensor& value, const LinearAttentionOptions& options,
                              Tensor* out) {
  constexpr const char* kCall = "linear_attention";
  const Heads heads(query, key, value, options.heads, options.kv_heads, kCall);
  const tril::LinearAttentionOptions core{
      .feature_map = value_named(kFeatureMaps, options.feature_map, kCall, "featureMap", "map"),
      .order = value_named(kProductOrders, options.order, kCall, "order"),
      .causal = options.causal,
      .normalise = options.normalise,
  };
  Results results(engine, kCall);
  const Output output(engine, out, heads.output_shape(), kCall);
  if (!out) results.add("output", output.handle());
  TensorView<float, 4> weights;
  if (options.need_weights) {
    weights =
        Traces(results, heads.layout.left_out()).make("weights", heads.scores(heads.key.size(2)));
  }
  tril::linear_attention(heads.query, heads.key, heads.value, core,
                         heads.layout.view(*output, options.heads, kCall, "out"), engine.context,
                         weights);
  return results.hand_over();
}

// Inputs as for attention; e and f [R, S]. Gives output (unless `out` was written) and, with a
// trace, scores, masked and weights, [B, H, T, R].
NamedTensors low_rank_attention(Engine& engine, const Tensor& query, const Tensor& key,
                                const Tensor& value, const Tensor& e, const Tensor& f,
                                const LowRankOptions& options, Tensor* out) {
  constexpr const char* kCall = "low_rank_attention";
  const Heads heads(query, key, value, options.heads, options.kv_heads, kCall);
  const auto project_keys = matrix(e, kCall, "e"), project_values = matrix(f, kCall, "f");
  tril::LowRankOptions core;
  if (options.scale) core.scale = static_cast<float>(*options.scale);
  Results results(engine, kCall);
  const Output output(engine, out, heads.output_shape(), kCall);
  if (!out) results.add("output", output.handle());
  AttentionTrace trace;
  if (options.trace) {
    trace = Traces(results, heads.layout.left_out())
                .attention(heads.scores(project_keys.size(0)), false);
  }
  tril::low_rank_attention(heads.query, heads.key, heads.value, project_keys, project_values, core,
                           heads.layout.view(*output, options.heads, kCall, "out"), engine.context,
                           trace);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_efficient_attention) {
  using namespace emscripten;
  function("_additiveAttention", guard<&additive_attention>, allow_raw_pointers());

  value_object<LinearAttentionOptions>("_LinearAttentionOptions")
      .field("featureMap", &LinearAttentionOptions::feature_map)
      .field("order", &LinearAttentionOptions::order)
      .field("causal", &LinearAttentionOptions::causal)
      .field("normalise", &LinearAttentionOptions::normalise)
      .field("heads", &LinearAttentionOptions::heads)
      .field("kvHeads", &LinearAttentionOptions::kv_heads)
      .field("needWeights", &LinearAttentionOptions::need_weights);
  function("_linearAttention", guard<&linear_attention>, allow_raw_pointers());

  value_object<LowRankOptions>("_LowRankOptions")
      .field("scale", &LowRankOptions::scale)
      .field("heads", &LowRankOptions::heads)
      .field("kvHeads", &LowRankOptions::kv_heads)
      .field("trace", &LowRankOptions::trace);
  function("_lowRankAttention", guard<&low_rank_attention>, allow_raw_pointers());
}

}  // namespace tril::js
