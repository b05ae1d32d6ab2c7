#include "multi_head_attention.h"

#include <tril/attention/multi_head_attention.h>

#include <algorithm>

namespace tril::js {

namespace {

constexpr std::string_view kCall = "multi_head_attention";

// [B, T, C], or [T, C] as a batch of one.
TensorView<const float, 3> sequences(const Tensor& tensor, const Tensor& x,
                                     std::string_view argument) {
  if (tensor.rank() != x.rank() || x.rank() < 2 || x.rank() > 3) {
    fail(kCall, argument,
         "must be [B, T, C] or [T, C], all inputs alike; x is " + shape_text(x) +
             (&tensor == &x ? "" : ", this is " + shape_text(tensor)));
  }
  return {tensor.data(), {x.rank() > 2 ? tensor.size(0) : 1, tensor.size(-2), tensor.size(-1)}};
}

MatrixView<const float> optional_matrix(const NamedTensors& weights, const char* name) {
  const Tensor* tensor = named(weights, name);
  return tensor ? matrix(*tensor, kCall, name) : MatrixView<const float>();
}

tril::MultiHeadWeights core_weights(const NamedTensors& weights) {
  return {
      .in_proj_weight = optional_matrix(weights, "in_proj_weight"),
      .q_proj_weight = optional_matrix(weights, "q_proj_weight"),
      .k_proj_weight = optional_matrix(weights, "k_proj_weight"),
      .v_proj_weight = optional_matrix(weights, "v_proj_weight"),
      .in_proj_bias = optional_vector(named(weights, "in_proj_bias"), kCall, "in_proj_bias"),
      .out_proj_weight = optional_matrix(weights, "out_proj.weight"),
      .out_proj_bias = optional_vector(named(weights, "out_proj.bias"), kCall, "out_proj.bias"),
  };
}

// The width of one head, or 1 where weights and heads do not fit, which the core will say.
Index head_width(const tril::MultiHeadWeights& weights, Index heads) {
  if (!weights.out_proj_weight) return 1;
  return std::max<Index>(1, weights.out_proj_weight.size(1) / heads);
}

}  // namespace

NamedTensors multi_head_attention(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                  const Tensor* context, const Tensor* value_context,
                                  const MultiHeadOptions& options, Tensor* out) {
  const MaskArgument mask(options.attention.mask, kCall);
  tril::MultiHeadOptions core;
  core.heads = options.attention.heads;
  core.key_heads = options.attention.kv_heads;
  core.attention = options.attention.core(mask.mask(), 0, kCall);
  const auto input = sequences(x, x, "x");
  if (context) core.context = sequences(*context, x, "context");
  if (value_context) core.value_context = sequences(*value_context, x, "valueContext");
  const tril::MultiHeadWeights parts = core_weights(weights);
  if (!parts.out_proj_weight) fail(kCall, "out_proj.weight", "no tensor given");

  Results results(engine, kCall);
  DynamicShape shape = x.shape();
  shape.back() = parts.out_proj_weight.size(0);
  const Output output(engine, out, shape, kCall);
  if (!out) results.add("output", output.handle());

  const Index batches = input.size(0), queries = input.size(1);
  const Index keys = core.context ? core.context.size(1) : queries;
  const Index key_heads = core.key_heads == 0 ? core.heads : core.key_heads;
  const Index width = head_width(parts, core.heads);
  // Without a batch axis in x there is none in what is returned.
  const auto make = [&](const char* name, const Shape<4>& full) {
    Tensor& tensor = results.make(name, {full.begin() + (x.rank() > 2 ? 0 : 1), full.end()});
    return TensorView<float, 4>(tensor.data(), full);
  };
  const Shape<4> scores{batches, core.heads, queries, keys};
  MultiHeadTrace trace;
  if (options.attention.trace) {
    trace.queries = make("queries", {batches, core.heads, queries, width});
    trace.keys = make("keys", {batches, key_heads, keys, width});
    trace.values = make("values", {batches, key_heads, keys, width});
    trace.attention =
        make_trace(results, scores, {scores.begin() + (x.rank() > 2 ? 0 : 1), scores.end()},
                   options.attention.softcap > 0);
    trace.heads = make("heads", {batches, core.heads, queries, width});
  }
  if (options.need_weights && options.average_weights) {
    DynamicShape average_shape{queries, keys};
    if (x.rank() > 2) average_shape.insert(average_shape.begin(), batches);
    trace.average_weights = {results.make("averageWeights", average_shape).data(),
                             {batches, queries, keys}};
  } else if (options.need_weights && !options.attention.trace) {
    trace.attention.weights = make("weights", scores);
  }
  tril::multi_head_attention(input, parts, core, {output->data(), {batches, queries, shape.back()}},
                             engine.scratch, engine.parallel, trace);
  return results.hand_over();
}

}  // namespace tril::js
