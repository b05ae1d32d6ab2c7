// attention and attention_backward with dropout of the weights, for modules with training.
#include <emscripten/bind.h>

#include <cstdint>

#include "attention.h"
#include "guard.h"

namespace tril::js {

namespace {

AttentionOptions with_dropout(AttentionOptions options, double probability, double seed) {
  options.dropout = {.probability = probability, .seed = static_cast<std::uint64_t>(seed)};
  return options;
}

NamedTensors attention_dropout(Engine& engine, const Tensor& query, const Tensor& key,
                               const Tensor& value, const Tensor* past_key,
                               const Tensor* past_value, Cache* cache,
                               const AttentionOptions& options, Tensor* out, double probability,
                               double seed) {
  return attention(engine, query, key, value, past_key, past_value, cache,
                   with_dropout(options, probability, seed), out);
}

NamedTensors attention_dropout_backward(Engine& engine, const Tensor& d_output, const Tensor& query,
                                        const Tensor& key, const Tensor& value,
                                        const Tensor& output, const Tensor& log_sum_exp,
                                        const AttentionOptions& options, bool mask_gradient,
                                        double probability, double seed) {
  return attention_backward(engine, d_output, query, key, value, output, log_sum_exp,
                            with_dropout(options, probability, seed), mask_gradient);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_attention_dropout) {
  using namespace emscripten;
  function("_attentionDropout", guard<&attention_dropout>, allow_raw_pointers());
  function("_attentionDropoutBackward", guard<&attention_dropout_backward>, allow_raw_pointers());
}

}  // namespace tril::js
