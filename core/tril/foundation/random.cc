#include <tril/foundation/elementary.h>
#include <tril/foundation/random.h>

#include <cmath>

namespace tril {
namespace {

constexpr std::uint64_t kMultiplier = 6364136223846793005u;
constexpr std::uint64_t kIncrement = 1442695040888963407u;
constexpr double kTwoPi = 6.283185307179586;

}  // namespace

Random::Random(std::uint64_t seed) noexcept {
  bits();
  state_ += seed;
  bits();
}

std::uint32_t Random::bits() noexcept {
  const std::uint64_t old = state_;
  state_ = old * kMultiplier + kIncrement;
  const auto mixed = static_cast<std::uint32_t>(((old >> 18u) ^ old) >> 27u);
  const auto turn = static_cast<std::uint32_t>(old >> 59u);
  return (mixed >> turn) | (mixed << ((32u - turn) & 31u));
}

float Random::uniform() noexcept { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

std::uint32_t Random::below(std::uint32_t bound) noexcept {
  // The first 2^32 mod bound of the 2^32 values would make small results too frequent: they are
  // drawn again.
  const std::uint32_t first = (0u - bound) % bound;
  for (;;) {
    const std::uint32_t draw = bits();
    if (draw >= first) return draw % bound;
  }
}

float Random::normal() noexcept {
  const double radius = 1.0 - uniform();  // (0, 1]: its logarithm is finite
  const double angle = uniform();
  return static_cast<float>(std::sqrt(-2.0 * logarithm(radius)) *
                            sine_and_cosine(kTwoPi * angle).cosine);
}

}  // namespace tril
