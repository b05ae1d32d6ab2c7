// The next token, drawn from what a model says.
#pragma once

#include <tril/foundation/random.h>
#include <tril/model/language_model.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// How far from the most likely token a draw may go.
struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; 0: always the most likely
  Index top_k = 0;         // only the k most likely, and what is as likely as the k-th; 0: all
};

// A token from softmax(logits / temperature). Throws Error for logits that are not finite, or
// options out of range.
std::int32_t sample_token(VectorView<const float> logits, const SamplingOptions& options,
                          Random& random);

// `count` tokens more, one after another, each by the last tokens that the context holds: nothing
// is cached. `prompt` is not empty. Throws Error as LanguageModel::logits and sample_token do.
std::vector<std::int32_t> generate(LanguageModel& model, std::span<const std::int32_t> prompt,
                                   Index count, const SamplingOptions& options, Random& random,
                                   Scratch& scratch, Parallel& parallel);

}  // namespace tril
