#pragma once

#include <tril/attention/linear_attention.h>

#include <optional>
#include <string>
#include <string_view>

#include "mask.h"
#include "tensor.h"

namespace tril::js {

// query [B, T, Dq], key [B, S, Dk], value [B, S, Dv], or all without B. `weights`: w_q [A, Dq], w_k
// [A, Dk], v [A]. Gives output (unless `out` was written) and, with a trace, queries, keys, scores,
// masked and weights.
NamedTensors additive_attention(Engine& engine, const Tensor& query, const Tensor& key,
                                const Tensor& value, const NamedTensors& weights,
                                const MaskRules& mask, bool trace, Tensor* out);

struct LinearAttentionOptions {
  std::string feature_map;  // "elu_plus_one" or "identity"
  std::string order;        // "values_first" or "scores_first"
  bool causal;
  bool normalise;
  int heads;     // as in AttentionOptions
  int kv_heads;  // as there
  bool need_weights;
};

// Inputs as attention's. Gives output (unless `out` was written) and, if asked for, weights.
NamedTensors linear_attention(Engine& engine, const Tensor& query, const Tensor& key,
                              const Tensor& value, const LinearAttentionOptions& options,
                              Tensor* out);

struct LowRankOptions {
  std::optional<double> scale;
  int heads;     // as in AttentionOptions
  int kv_heads;  // as there
  bool trace;
};

// Inputs as attention's; e and f [R, S]. Gives output (unless `out` was written) and, with a trace,
// scores, masked and weights, [B, H, T, R].
NamedTensors low_rank_attention(Engine& engine, const Tensor& query, const Tensor& key,
                                const Tensor& value, const Tensor& e, const Tensor& f,
                                const LowRankOptions& options, Tensor* out);

}  // namespace tril::js
