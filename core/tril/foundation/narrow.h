// Numbers of 16 bits, loaded into a register of floats, which holds each of them exactly. Beside
// simd.h, and for kernel files like it: what it says of targets holds here, too.
#pragma once

#include <tril/foundation/simd.h>

#include <cstdint>

namespace tril::TRIL_ISA {

// Numbers of 16 bits: IEEE 754 binary16, and the upper half of a float.
struct Float16 {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

namespace detail {

// 16 bits each, as the upper half of a lane.
inline IntRegister load_upper(const void* from) noexcept {
#if defined(__wasm_simd128__)
  return (IntRegister)wasm_u32x4_load16x4(from) << 16;
#elif defined(__AVX512F__)  // GCC 12 makes two halves of a conversion of vectors
  const __m256i bits = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  return (IntRegister)_mm512_maskz_cvtepu16_epi32(0xffff, bits) << 16;
#elif defined(__AVX2__)
  const __m128i bits = _mm_loadu_si128(static_cast<const __m128i*>(from));
  return (IntRegister)_mm256_cvtepu16_epi32(bits) << 16;
#elif defined(__SSE2__)
  const __m128i bits = _mm_loadl_epi64(static_cast<const __m128i*>(from));
  return (IntRegister)_mm_unpacklo_epi16(_mm_setzero_si128(), bits);
#else
  using Bits = std::uint16_t __attribute__((vector_size(kLanes * sizeof(std::uint16_t))));
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  return __builtin_convertvector(bits, IntRegister) << 16;
#endif
}

// Halves in the upper half of each lane. With the exponent 112 + 112 too large and 2^-112 times
// that, infinities and NaN stay what they are; but what is below 2^-14, m 2^-24, is then 2^-15 (1 +
// m / 1024), which twice, less 2^-14, is what it was. All of it is exact, and no subnormal float,
// which processors are slow with, takes part.
inline Register widen_upper(IntRegister upper) noexcept {
  const IntRegister size = (upper >> 3 & 0x0fffe000) + (224 << 23);
  const Register large = (Register)size * broadcast(0x1p-112f);
  const Register less = min(large - broadcast(0x1p-14f), Register{});
  const IntRegister sign = upper & static_cast<std::int32_t>(0x80000000u);
  return bitwise_or(large + less, (Register)sign);
}

}  // namespace detail

// kLanes numbers as floats, which hold each of them exactly.
inline Register load(const Bfloat16* from) noexcept { return (Register)detail::load_upper(from); }
inline Register load(const Float16* from) noexcept {
#if defined(__AVX512F__)
  return (Register)_mm512_maskz_cvtph_ps(
      0xffff,
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));  // GCC warns without mask
#elif defined(__AVX2__)
  return (Register)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
  return detail::widen_upper(detail::load_upper(from));
#endif
}

// One of them.
inline float widen(float value) noexcept { return value; }
template <typename Narrow>
float widen(Narrow value) noexcept {
  Narrow filled[kLanes] = {value};
  return load(filled)[0];
}

}  // namespace tril::TRIL_ISA
