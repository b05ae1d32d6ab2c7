#include <tril/foundation/check.h>
#include <tril/model/decoding_session.h>
#include <tril/model/model_attention.h>

namespace tril {

Shape<4> model_attention_shape(const ModelParameters& parameters, Index tokens) {
  const ModelConfig& config = parameters.config();
  return {config.layers, config.heads, tokens, tokens};
}

void model_attention(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                     const TensorView<float, 4>& weights, const Context& context) {
  constexpr const char* kCall = "attention";
  const ModelConfig& config = parameters.config();
  const auto T = static_cast<Index>(tokens.size());
  if (T < 1 || T > config.context) {
    fail(kCall, "tokens", {"must be from 1 to the context of ", config.context, ", are ", T});
  }
  detail::check_tokens(kCall, tokens, config.vocabulary);
  check_shape(weights, model_attention_shape(parameters, T), kCall, "weights", "[L, H, T, T]");
  ModelTrace trace;
  for (Index layer = 0; layer < config.layers; ++layer) {
    trace.layers.emplace_back().attention.attention.weights = {weights[layer].data(),
                                                               {1, config.heads, T, T}};
  }
  DecodingSession(parameters, T).append(tokens, context, trace);
}

}  // namespace tril
