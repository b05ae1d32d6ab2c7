// The attention taken out of a language model: what each of its heads looks at in a text.
//
//   Buffer<float, 4> weights(model_attention_shape(model.parameters, ids.size()));
//   model_attention(model.parameters, ids, weights);
//   weights.view()[3][5][t][s];  // how much of token s head 5 of layer 3 takes for token t
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/model/model_parameters.h>

#include <cstdint>
#include <span>

namespace tril {

// [L, H, T, T] for T tokens: of L layers with H heads each. Throws Error for no tokens, and for
// more than the context has.
Shape<4> model_attention_shape(const ModelParameters& parameters, Index tokens);

// Fills `weights`, of that shape, with the weights that the model attends with: each row adds up to
// 1, and what a token may not see is 0. They take 4 L H T^2 bytes. Throws Error where one of the
// tokens is outside the vocabulary, for another shape, and as model_attention_shape.
void model_attention(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                     const TensorView<float, 4>& weights, const Context& context = {});

}  // namespace tril
