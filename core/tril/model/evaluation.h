// Evaluation of a model on a text: the loss of each token, given the tokens before it.
//
//   loss_i = -log softmax(logits after tokens 0..i-1)[token i]     for i = 1..T-1
//   perplexity = e^(mean loss)
#pragma once

#include <tril/model/language_model.h>
#include <tril/model/model_parameters.h>

#include <cstdint>
#include <span>

namespace tril {

// The losses [T - 1], in nats, of tokens 1 to T - 1 of a text of T tokens, which may be longer than
// the context. When the context is full, a new window begins with its second half, so that every
// token is predicted from all tokens before it or from at least half a context. Losses do not
// depend on the number of threads. Throws Error, before anything is written, for fewer than two
// tokens, an id that is not a token, losses of another shape, a model that is not causal, and not
// enough memory for keys and values.
ModelLoss evaluate_text(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                        VectorView<float> losses, const Context& context = {});

}  // namespace tril
