// The attention weights of a language model: what each head attends to in a text.
//
//   Buffer<float, 4> weights(model_attention_shape(model.parameters, ids.size()));
//   model_attention(model.parameters, ids, weights);
//   weights.view()[3][5][t][s];  // weight of token s for token t in head 5 of layer 3
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/model/model_parameters.h>

#include <cstdint>
#include <span>

namespace tril {

// [L, H, T, T] for T tokens, L layers and H heads. Throws Error for no tokens and for more than the
// context.
Shape<4> model_attention_shape(const ModelParameters& parameters, Index tokens);

// Fills `weights`, of that shape (4 L H T^2 bytes), with the model's attention weights. Each row
// adds up to 1; hidden tokens have the weight 0. Throws Error where a token is outside the
// vocabulary, for another shape, and as model_attention_shape does.
void model_attention(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                     const TensorView<float, 4>& weights, const Context& context = {});

}  // namespace tril
