#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/random.h>
#include <tril/foundation/sizes.h>
#include <tril/model/batches.h>

#include <algorithm>
#include <string>

namespace tril {
namespace {

// A seed for each step: the finaliser of SplitMix64 (Steele et al. 2014), which mixes every bit of
// both numbers.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t step) noexcept {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15u * (step + 1);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// Uniform in [0, bound), which may be above the range of Random::below.
Index below(Index bound, Random& random) noexcept {
  const std::uint64_t bits = static_cast<std::uint64_t>(random.bits()) << 32 | random.bits();
  return static_cast<Index>(bits % static_cast<std::uint64_t>(bound));
}

void check(std::span<const std::int32_t> stream, Index windows, Index length,
           const BatchOptions& options, const char* call) {
  if (windows < 1 || length < 1)
    fail(call, "windows", "there must be at least one window of at least one token");
  const auto needed = static_cast<std::size_t>(length) + 1;
  if (stream.size() < needed) {
    fail(call, "stream",
         "has " + std::to_string(stream.size()) + " tokens, and a window with the token after it " +
             std::to_string(needed));
  }
  if (options.objective == TrainingObjective::masked &&
      (options.vocabulary < 1 || options.mask_token < 0)) {
    fail(call, "mask_token", "must be a token of a vocabulary that is not empty");
  }
}

void start(Index windows, Index length, TokenBatch& batch, const char* call) {
  constexpr std::size_t kBytes = 2 * sizeof(std::int32_t);
  const Index count = checked_count({{"windows", windows}, {"length", length}}, kBytes, call);
  detail::with_memory(call, "tokens and targets take", kBytes * static_cast<double>(count), [&] {
    batch.tokens.resize(static_cast<std::size_t>(count));
    batch.targets.resize(static_cast<std::size_t>(count));
  });
  batch.windows = windows, batch.length = length, batch.counted = 0;
}

void fill_window(std::span<const std::int32_t> stream, Index first, Index window,
                 const BatchOptions& options, Random& random, TokenBatch& batch) {
  std::int32_t* const tokens = batch.tokens.data() + window * batch.length;
  std::int32_t* const targets = batch.targets.data() + window * batch.length;
  std::copy_n(stream.data() + first, batch.length, tokens);
  if (options.objective == TrainingObjective::next) {
    std::copy_n(stream.data() + first + 1, batch.length, targets);
    batch.counted += batch.length;
    return;
  }
  for (Index t = 0; t < batch.length; ++t) {
    targets[t] = kIgnoredTarget;
    if (!(random.uniform() < 0.15f)) continue;
    targets[t] = tokens[t];
    ++batch.counted;
    const float kind = random.uniform();
    if (kind < 0.8f) {
      tokens[t] = options.mask_token;
    } else if (kind < 0.9f) {
      tokens[t] =
          static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(options.vocabulary)));
    }
  }
}

}  // namespace

void draw_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                const BatchOptions& options, std::uint64_t seed, std::uint64_t step,
                TokenBatch& batch) {
  check(stream, windows, length, options, "draw_batch");
  start(windows, length, batch, "draw_batch");
  Random random(mixed(seed, step));
  const Index places = static_cast<Index>(stream.size()) - length;
  for (Index w = 0; w < windows; ++w) {
    fill_window(stream, below(places, random), w, options, random, batch);
  }
}

void spaced_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                  const BatchOptions& options, std::uint64_t seed, TokenBatch& batch) {
  check(stream, windows, length, options, "spaced_batch");
  start(windows, length, batch, "spaced_batch");
  Random random(mixed(seed, 0));
  const Index last = static_cast<Index>(stream.size()) - length - 1;
  for (Index w = 0; w < windows; ++w) {
    const double share =
        windows > 1 ? static_cast<double>(w) / static_cast<double>(windows - 1) : 0;
    fill_window(stream, static_cast<Index>(share * static_cast<double>(last)), w, options, random,
                batch);
  }
}

}  // namespace tril
