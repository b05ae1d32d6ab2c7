#include <tril/foundation/check.h>
#include <tril/model/sampling.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace tril {

std::int32_t sample_token(VectorView<const float> logits, const SamplingOptions& options,
                          Random& random) {
  constexpr const char* kCall = "sample_token";
  check_view(logits, kCall, "logits");
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    fail(kCall, "temperature",
         "must be finite and at least 0, is " + number_text(options.temperature));
  }
  if (options.top_k < 0) {
    fail(kCall, "top_k", "must be at least 0, is " + std::to_string(options.top_k));
  }
  const float* const begin = logits.data();
  const float* const end = begin + logits.size(0);
  if (!std::all_of(begin, end, [](float x) { return std::isfinite(x); })) {
    fail(kCall, "logits", "are not all finite");
  }
  const float* const best = std::max_element(begin, end);
  if (options.temperature == 0) return static_cast<std::int32_t>(best - begin);
  float least = -HUGE_VALF;
  if (options.top_k > 0 && options.top_k < logits.size(0)) {
    std::vector<float> sorted(begin, end);
    std::nth_element(sorted.begin(), sorted.begin() + (options.top_k - 1), sorted.end(),
                     std::greater<>());
    least = sorted[static_cast<std::size_t>(options.top_k - 1)];
  }
  const auto weight = [&](float x) {
    return x < least ? 0 : std::exp((static_cast<double>(x) - *best) / options.temperature);
  };
  double sum = 0;
  for (const float* at = begin; at < end; ++at) sum += weight(*at);
  double left = static_cast<double>(random.uniform()) * sum;
  const float* last = best;  // that may be drawn: what rounding leaves over is its
  for (const float* at = begin; at < end; ++at) {
    const double share = weight(*at);
    if (share == 0) continue;
    last = at;
    if (left < share) break;
    left -= share;
  }
  return static_cast<std::int32_t>(last - begin);
}

std::vector<std::int32_t> generate(LanguageModel& model, std::span<const std::int32_t> prompt,
                                   Index count, const SamplingOptions& options, Random& random,
                                   Scratch& scratch, Parallel& parallel) {
  if (prompt.empty()) fail("generate", "prompt", "is empty");
  std::vector<std::int32_t> tokens(prompt.begin(), prompt.end());
  for (Index n = 0; n < count; ++n) {
    const Index length = std::min(static_cast<Index>(tokens.size()), model.config().context);
    const MatrixView<const std::int32_t> seen(tokens.data() + tokens.size() - length, {1, length});
    const MatrixView<const float> logits = model.logits(seen, scratch, parallel);
    tokens.push_back(sample_token(logits[length - 1], options, random));
  }
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()));
  return tokens;
}

}  // namespace tril
