// The next token, drawn from what a model says.
#pragma once

#include <tril/foundation/random.h>
#include <tril/model/language_model.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// How far from the most likely token a draw may go. What is left out is so in this order, each by
// the probabilities that those before leave, which are made to add up to 1 again.
struct SamplingOptions {
  double temperature = 0.8;  // logits are divided by it; 0: always the most likely
  Index top_k = 0;           // only the k most likely, and what is as likely as the k-th; 0: all
  // Only the fewest of the most likely that together have this probability, and what is as likely
  // as the last of them (Holtzman et al. 2020); above 0, 1: all.
  double top_p = 1;
  // Only those of at least this share of the largest probability (Nguyen et al. 2024); 0: all.
  double min_p = 0;
};

// Draws tokens one after another: a function of the options, the seed, and the logits. After the
// first draw nothing is allocated.
class Sampler {
 public:
  // Throws Error for options out of range.
  explicit Sampler(const SamplingOptions& options, std::uint64_t seed = 0);

  // A token by what is left of softmax(logits / temperature). Throws Error for logits that are not
  // finite.
  std::int32_t draw(VectorView<const float> logits);
  // By which the last token was drawn, one for each, 0 for what was left out; good until the next
  // draw.
  VectorView<const double> probabilities() const noexcept;

 private:
  SamplingOptions options_;
  Random random_;
  std::vector<double> shares_, sorted_;
};

// A token from softmax(logits / temperature), as Sampler draws it. Throws Error for logits that are
// not finite, or options out of range.
std::int32_t sample_token(VectorView<const float> logits, const SamplingOptions& options,
                          Random& random);

// `count` tokens more, one after another, each by the last tokens that the context holds: nothing
// is cached. `prompt` is not empty. Throws Error as LanguageModel::logits and sample_token do.
std::vector<std::int32_t> generate(LanguageModel& model, std::span<const std::int32_t> prompt,
                                   Index count, const SamplingOptions& options, Random& random,
                                   const Context& context = {});

}  // namespace tril
