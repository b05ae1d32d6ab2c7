// Seeded random numbers, the same on every machine and in every build.
//
// The generator is PCG32 (O'Neill 2014, pcg-random.org), with 64 bits of state and period 2^64. It
// is not for cryptography.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// A stream of numbers from a seed.
class Random {
 public:
  // Equal seeds give equal streams.
  explicit Random(std::uint64_t seed) noexcept;

  // 32 uniform bits.
  std::uint32_t bits() noexcept;
  // Uniform in [0, 1): a multiple of 2^-24.
  float uniform() noexcept;
  // Uniform in {0, ..., bound - 1}, without bias. bound >= 1.
  std::uint32_t below(std::uint32_t bound) noexcept;
  // Normal with mean 0 and variance 1: Box and Muller's transform, computed in double.
  float normal() noexcept;

 private:
  std::uint64_t state_ = 0;
};

// Fills in row-major order, so that the numbers depend on the seed and the shape, not on strides.
template <int Rank>
void fill_uniform(const TensorView<float, Rank>& out, Random& random, float low, float high) {
  if constexpr (Rank == 1) {
    for (Index i = 0; i < out.size(0); ++i) out[i] = low + (high - low) * random.uniform();
  } else {
    for (Index i = 0; i < out.size(0); ++i) fill_uniform(out[i], random, low, high);
  }
}

// Fills in the same order with Random::normal.
template <int Rank>
void fill_normal(const TensorView<float, Rank>& out, Random& random) {
  if constexpr (Rank == 1) {
    for (Index i = 0; i < out.size(0); ++i) out[i] = random.normal();
  } else {
    for (Index i = 0; i < out.size(0); ++i) fill_normal(out[i], random);
  }
}

}  // namespace tril
