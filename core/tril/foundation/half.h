// Conversion of single IEEE 754 binary16 numbers from and to float. Kernels convert whole registers
// (narrow.h).
#pragma once

#include <bit>
#include <cstdint>

namespace tril {

// A half has 1 bit of sign, 5 of exponent and 10 of fraction. A subnormal is fraction * 2^-24,
// exact in float.
inline float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 0x1fu,
                      fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// Rounds to the nearest half, and ties to even. NaN keeps the upper bits of its fraction and stays
// NaN: where all of these are 0, the highest one is set.
inline std::uint16_t to_half(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  std::uint32_t half;
  if (size > 0x7f800000u) {
    half = size >> 13 & 0x3ffu;
    half = 0x7c00u | (half != 0 ? half : 0x200u);
  } else if (size >= std::bit_cast<std::uint32_t>(65536.0f)) {
    half = 0x7c00u;
  } else if (size >= std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // A carry out of the fraction increases the exponent, as it should, up to infinity.
    half = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  } else {
    // Floats from 0.5 on have the spacing of subnormal halves, so the sum rounds to it.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace tril
