// Sampling of the next token from logits.
#pragma once

#include <tril/foundation/random.h>
#include <tril/model/language_model.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// Options of sampling. They exclude tokens in the order given here, each on the probabilities left
// by the one before, normalised to add up to 1.
struct SamplingOptions {
  double temperature = 0.8;  // divides the logits; 0: always the most likely token
  Index top_k = 0;           // keeps the k most likely, with ties of the k-th; 0: all
  // Keeps the smallest set of most likely tokens with this total probability, with ties of the last
  // one (Holtzman et al. 2020); above 0, 1: all.
  double top_p = 1;
  // Keeps tokens of at least this share of the largest probability (Nguyen et al. 2024); 0: all.
  double min_p = 0;
};

// Samples tokens one after another, as a function of the options, the seed and the logits. After
// the first draw nothing is allocated.
class Sampler {
 public:
  // Throws Error for options out of range.
  explicit Sampler(const SamplingOptions& options, std::uint64_t seed = 0);

  // Samples a token from softmax(logits / temperature) without the excluded tokens. Throws Error
  // for logits that are not finite.
  std::int32_t draw(VectorView<const float> logits);
  // The distribution that the last token was sampled from: a probability for each token, 0 for
  // excluded ones; valid until the next draw.
  VectorView<const double> probabilities() const noexcept;

 private:
  SamplingOptions options_;
  Random random_;
  std::vector<double> shares_, sorted_;
};

// Samples one token as Sampler does. Throws Error for logits that are not finite, and options out
// of range.
std::int32_t sample_token(VectorView<const float> logits, const SamplingOptions& options,
                          Random& random);

// Writes the distribution that sample_token() samples from, for each row of logits [N, V]: 0 for
// excluded tokens, and for no others. Throws Error as sample_token() does, and where `out` is not
// [N, V] or shares memory with the logits.
void sampling_probabilities(const MatrixView<const float>& logits, const SamplingOptions& options,
                            const MatrixView<float>& out);

// Samples `count` tokens one after another, each after the last tokens that fit into the context;
// nothing is cached. `prompt` is not empty. Throws Error as LanguageModel::logits and sample_token
// do.
std::vector<std::int32_t> generate(LanguageModel& model, std::span<const std::int32_t> prompt,
                                   Index count, const SamplingOptions& options, Random& random,
                                   const Context& context = {});

}  // namespace tril
