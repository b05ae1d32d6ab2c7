// How well a model that is run predicts a text: the loss of each of its tokens, given those before
// it.
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
// the context. A window begins anew where the context is full, with the second half of what is in
// it: so every token is predicted from at least half a context of tokens before it, or from all
// that there are. Losses do not depend on the number of threads. Throws Error, before anything is
// written, for fewer than two tokens, for what is not a token, for losses of another shape, and
// where the model is not causal; and where memory for keys and values is not enough.
ModelLoss evaluate_text(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                        VectorView<float> losses, const Context& context = {});

}  // namespace tril
