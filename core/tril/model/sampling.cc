#include <tril/foundation/check.h>
#include <tril/model/sampling.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace tril {

namespace {

constexpr const char* kCall = "sample_token";

void check_options(const SamplingOptions& options, const char* call = kCall) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    fail(call, "temperature", {"must be finite and at least 0, is ", options.temperature});
  }
  if (options.top_k < 0) fail(call, "top_k", {"must be at least 0, is ", options.top_k});
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    fail(call, "top_p", {"must be above 0 and at most 1, is ", options.top_p});
  }
  if (!(options.min_p >= 0 && options.min_p <= 1)) {
    fail(call, "min_p", {"must be from 0 to 1, is ", options.min_p});
  }
}

void check_logits(const VectorView<const float>& logits, const char* call = kCall) {
  const float* const end = logits.data() + logits.size(0);
  if (!std::all_of(logits.data(), end, [](float x) { return std::isfinite(x); })) {
    fail(call, "logits", "are not all finite");
  }
}

void leave_out_below(double least, std::vector<double>& shares) {
  for (double& each : shares) each = each < least ? 0 : each;
}

void keep_most_likely(Index count, std::vector<double>& shares, std::vector<double>& sorted) {
  if (count == 0 || count >= static_cast<Index>(shares.size())) return;
  sorted = shares;
  std::make_heap(sorted.begin(), sorted.end());
  for (Index taken = 1; taken < count; ++taken) {
    std::pop_heap(sorted.begin(), sorted.end() - (taken - 1));
  }
  leave_out_below(sorted.front(), shares);
}

// take the largest shares, one after another, until they have this part of the whole
void keep_probability(double share, std::vector<double>& shares, std::vector<double>& sorted) {
  if (share == 1) return;
  sorted = shares;
  std::make_heap(sorted.begin(), sorted.end());
  const double wanted = share * std::accumulate(shares.begin(), shares.end(), 0.0);
  double taken = 0, least = 0;
  for (auto end = sorted.end(); end != sorted.begin() && taken < wanted; --end) {
    taken += least = sorted.front();
    std::pop_heap(sorted.begin(), end);
  }
  leave_out_below(least, shares);
}

// shares = e^((logits - largest) / temperature), 0 for excluded tokens. Returns the most likely
// token.
std::ptrdiff_t weigh(const VectorView<const float>& logits, const SamplingOptions& options,
                     std::vector<double>& shares, std::vector<double>& sorted) {
  const float* const begin = logits.data();
  const float* const end = begin + logits.size(0);
  const float* const best = std::max_element(begin, end);
  shares.assign(static_cast<std::size_t>(logits.size(0)), 0.0);
  if (options.temperature == 0) {
    shares[static_cast<std::size_t>(best - begin)] = 1;
    return best - begin;
  }
  std::transform(begin, end, shares.begin(), [&](float x) {
    return std::exp((static_cast<double>(x) - *best) / options.temperature);
  });
  keep_most_likely(options.top_k, shares, sorted);
  keep_probability(options.top_p, shares, sorted);
  leave_out_below(options.min_p, shares);  // the largest is 1
  return best - begin;
}

std::int32_t draw_token(const VectorView<const float>& logits, const SamplingOptions& options,
                        Random& random, std::vector<double>& shares, std::vector<double>& sorted) {
  check_view(logits, kCall, "logits");
  check_logits(logits);
  std::ptrdiff_t last = weigh(logits, options, shares, sorted);
  if (options.temperature == 0) return static_cast<std::int32_t>(last);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  double left = static_cast<double>(random.uniform()) * sum;
  // `last` becomes the last possible token, which gets the rest left by rounding.
  for (std::size_t n = 0; n < shares.size(); ++n) {
    if (shares[n] == 0) continue;
    last = static_cast<std::ptrdiff_t>(n);
    if (left < shares[n]) break;
    left -= shares[n];
  }
  return static_cast<std::int32_t>(last);
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, std::uint64_t seed)
    : options_(options), random_(seed) {
  check_options(options);
}

std::int32_t Sampler::draw(VectorView<const float> logits) {
  const std::int32_t token = draw_token(logits, options_, random_, shares_, sorted_);
  const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  for (double& each : shares_) each /= sum;
  return token;
}

VectorView<const double> Sampler::probabilities() const noexcept {
  return {shares_.data(), {static_cast<Index>(shares_.size())}};
}

std::int32_t sample_token(VectorView<const float> logits, const SamplingOptions& options,
                          Random& random) {
  check_options(options);
  std::vector<double> shares, sorted;
  return draw_token(logits, options, random, shares, sorted);
}

void sampling_probabilities(const MatrixView<const float>& logits, const SamplingOptions& options,
                            const MatrixView<float>& out) {
  constexpr const char* kProbabilities = "sampling_probabilities";
  check_options(options, kProbabilities);
  check_view(logits, kProbabilities, "logits", empty_but_wide(logits));
  check_shape(out, logits.shape(), kProbabilities, "out", "the shape of logits");
  check_no_overlap(out, logits, kProbabilities, "out");
  for (Index n = 0; n < logits.size(0); ++n) check_logits(logits[n], kProbabilities);
  std::vector<double> shares, sorted;
  for (Index n = 0; n < logits.size(0); ++n) {
    weigh(logits[n], options, shares, sorted);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    // Tokens that are not excluded stay above 0 as floats.
    constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
    std::ranges::transform(shares, out[n].data(), [&](double share) {
      return share == 0 ? 0.0f : std::max(static_cast<float>(share / sum), kSmallest);
    });
  }
}

std::vector<std::int32_t> generate(LanguageModel& model, std::span<const std::int32_t> prompt,
                                   Index count, const SamplingOptions& options, Random& random,
                                   const Context& context) {
  if (prompt.empty()) fail("generate", "prompt", "is empty");
  std::vector<std::int32_t> tokens(prompt.begin(), prompt.end());
  for (Index n = 0; n < count; ++n) {
    const Index length = std::min(static_cast<Index>(tokens.size()), model.config().context);
    const MatrixView<const std::int32_t> seen(tokens.data() + tokens.size() - length, {1, length});
    const MatrixView<const float> logits = model.logits(seen, context);
    tokens.push_back(sample_token(logits[length - 1], options, random));
  }
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()));
  return tokens;
}

}  // namespace tril
