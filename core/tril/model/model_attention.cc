#include <tril/foundation/check.h>
#include <tril/model/decoding_session.h>
#include <tril/model/model_attention.h>

namespace tril {
namespace {

constexpr const char* kCall = "attention";

}  // namespace

Shape<4> model_attention_shape(const ModelParameters& parameters, Index tokens) {
  const ModelConfig& config = parameters.config();
  if (tokens < 1 || tokens > config.context) {
    fail(kCall, "tokens", {"must be from 1 to the context of ", config.context, ", are ", tokens});
  }
  return {config.layers, config.heads, tokens, tokens};
}

void model_attention(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                     const TensorView<float, 4>& weights, const Context& context) {
  const ModelConfig& config = parameters.config();
  const auto T = static_cast<Index>(tokens.size());
  const Shape<4> shape = model_attention_shape(parameters, T);
  detail::check_tokens(kCall, tokens, config.vocabulary);
  check_shape(weights, shape, kCall, "weights", "[L, H, T, T]");
  ModelTrace trace;
  for (Index layer = 0; layer < config.layers; ++layer) {
    const Shape<4> one = {1, config.heads, T, T};
    trace.layers.emplace_back().attention.attention.weights = {weights[layer].data(), one,
                                                               weights.strides()};
  }
  DecodingSession(parameters, T).append(tokens, context, trace);
}

}  // namespace tril
