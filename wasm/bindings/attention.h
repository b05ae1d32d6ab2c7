#pragma once

#include <tril/attention/attention.h>

#include <optional>
#include <string>
#include <string_view>

#include "key_value_cache.h"
#include "mask.h"
#include "output.h"

namespace tril::js {

struct AttentionOptions {
  bool causal;
  MaskRules mask{emscripten::val::undefined()};
  std::optional<double> scale;
  double softcap;
  Numbers key_lengths{emscripten::val::undefined()};
  std::string method;
  int heads;     // 0: heads have an axis of their own
  int kv_heads;  // of key and value, where heads are packed
  bool trace;
  bool log_sum_exp;
  std::optional<DropoutOptions> dropout = {};  // set by attention_dropout.cc only

  // The options in the core's form; the first `past` keys belong to earlier calls.
  tril::AttentionOptions core(const Mask& mask, Index past, const char* call) const;
};

// Gives output (null where `out` was written), logSumExp [B, H, T] if asked for, with a trace
// scores, capped (where there is a soft cap), masked and weights, and, with past_key and
// past_value, which are prepended, presentKey and presentValue. With a cache, key and value are
// appended to it, unless the call fails.
NamedTensors attention(Engine& engine, const Tensor& query, const Tensor& key, const Tensor& value,
                       const Tensor* past_key, const Tensor* past_value, Cache* cache,
                       const AttentionOptions& options, Tensor* out);

// Gives dQuery, dKey and dValue, of the shapes of query, key and value, and, if asked for, dMask
// [B, H, T, S]. output and log_sum_exp are attention's results; options are the same as for
// attention.
NamedTensors attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                const Tensor& key, const Tensor& value, const Tensor& output,
                                const Tensor& log_sum_exp, const AttentionOptions& options,
                                bool mask_gradient);

}  // namespace tril::js
