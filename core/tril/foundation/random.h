// Seeded random numbers, the same on every machine and in every build.
//
// The generator is PCG32 (O'Neill 2014, pcg-random.org), with 64 bits of state and period 2^64. It
// is not for cryptography.
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

// Fills in row-major order, so that the numbers depend on the seed and the shape, not on strides.
// Throws Error for a view that cannot be written; axes may be empty.
template <int Rank>
void fill_uniform(const TensorView<float, Rank>& out, Random& random, float low, float high) {
  detail::check_layout(detail::view_shape(out), Empty::allowed, "fill_uniform", "out");
  detail::fill(out, [&] { return low + (high - low) * random.uniform(); });
}

// Fills in the same order with Random::normal.
template <int Rank>
void fill_normal(const TensorView<float, Rank>& out, Random& random) {
  detail::check_layout(detail::view_shape(out), Empty::allowed, "fill_normal", "out");
  detail::fill(out, [&] { return random.normal(); });
}

}  // namespace tril
