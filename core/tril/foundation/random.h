// Seeded random numbers, the same on every machine and in every build.
//
// The generator is PCG32 (O'Neill 2014, pcg-random.org): 64 bits of state, period 2^64. Not for
// cryptography.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// A stream of numbers from a seed.
class Random {
 public:
  // Equal seeds give equal streams.
  explicit Random(std::uint64_t seed) noexcept;

  // All 32 even.
  std::uint32_t bits() noexcept;
  // Even in [0, 1): a multiple of 2^-24.
  float uniform() noexcept;
  // Even in {0, ..., bound - 1}, without bias. bound >= 1.
  std::uint32_t below(std::uint32_t bound) noexcept;
  // Mean 0, variance 1: Box and Muller's transform, computed in double.
  float normal() noexcept;

 private:
  std::uint64_t state_ = 0;
};

namespace detail {

template <int Rank, typename Draw>
void fill(const TensorView<float, Rank>& out, const Draw& draw) {
  for (Index i = 0; i < out.size(0); ++i) {
    if constexpr (Rank == 1) {
      out[i] = draw();
    } else {
      fill(out[i], draw);
    }
  }
}

}  // namespace detail

// Fill in row-major order, so that the numbers depend on the seed and the shape, not on strides.
// Throw Error for a view that cannot be written; axes may be empty.
template <int Rank>
void fill_uniform(const TensorView<float, Rank>& out, Random& random, float low, float high) {
  check_view(out, "fill_uniform", "out", Empty::allowed);
  detail::fill(out, [&] { return low + (high - low) * random.uniform(); });
}

// As fill_uniform, of Random::normal.
template <int Rank>
void fill_normal(const TensorView<float, Rank>& out, Random& random) {
  check_view(out, "fill_normal", "out", Empty::allowed);
  detail::fill(out, [&] { return random.normal(); });
}

}  // namespace tril
