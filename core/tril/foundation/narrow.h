// Loads numbers of 16 and of 8 bits into a register of floats, which represents them exactly. For
// kernel files and the targets of simd.h.
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

// Loads 16 bits into the upper half of each lane.
inline IntRegister load_upper(const void* from) noexcept {
#if defined(__wasm_simd128__)
  return (IntRegister)wasm_u32x4_load16x4(from) << 16;
#elif defined(__AVX512F__)  // GCC 12 splits a conversion of vectors into two halves
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

// Converts halves that are in the upper half of each lane. Adding 112 + 112 to the exponent and
// multiplying by 2^-112 leaves infinities and NaN unchanged. A number below 2^-14, m 2^-24, becomes
// 2^-15 (1 + m / 1024); twice that, minus 2^-14, is the number again. Every step is exact, and none
// has a subnormal float, with which processors are slow.
inline Register widen_upper(IntRegister upper) noexcept {
  const IntRegister size = (upper >> 3 & 0x0fffe000) + (224 << 23);
  const Register large = (Register)size * broadcast(0x1p-112f);
  const Register less = min(large - broadcast(0x1p-14f), Register{});
  const IntRegister sign = upper & static_cast<std::int32_t>(0x80000000u);
  return bitwise_or(large + less, (Register)sign);
}

}  // namespace detail

// Loads kLanes numbers as floats, which represent them exactly.
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

// One number in all lanes.
inline Register broadcast(Float16 value) noexcept {
#if defined(__AVX512F__)
  const auto bits = static_cast<short>(value.bits);
  return (Register)_mm512_maskz_cvtph_ps(0xffff, _mm256_set1_epi16(bits));
#elif defined(__AVX2__)
  return (Register)_mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(value.bits)));
#else
  return detail::widen_upper(IntRegister{} + (static_cast<std::int32_t>(value.bits) << 16));
#endif
}

// Loads 16 integers of 8 bits, each times kByteUnit. That is 2^24 with narrow registers, where one
// instruction puts a byte into the top of a lane, and sign-extending it would take two.
inline constexpr int kByteRegisters = 16 / kLanes;
#if defined(__wasm_simd128__) || (defined(__SSE2__) && !defined(__AVX2__))
inline constexpr float kByteUnit = 0x1p24f;
#else
inline constexpr float kByteUnit = 1;
#endif
inline void load_bytes(const std::int8_t* from, Register (&to)[kByteRegisters]) noexcept {
#if defined(__wasm_simd128__)
  const v128_t bytes = wasm_v128_load(from);
  constexpr char kNone = 16;  // this index gives 0
  const auto upper = [&](char n) {
    const v128_t places = wasm_i8x16_make(
        kNone, kNone, kNone, n, kNone, kNone, kNone, static_cast<char>(n + 1), kNone, kNone, kNone,
        static_cast<char>(n + 2), kNone, kNone, kNone, static_cast<char>(n + 3));
    return (Register)wasm_f32x4_convert_i32x4(wasm_i8x16_swizzle(bytes, places));
  };
  to[0] = upper(0), to[1] = upper(4), to[2] = upper(8), to[3] = upper(12);
#elif defined(__AVX512F__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  to[0] = (Register)_mm512_maskz_cvtepi32_ps(0xffff, _mm512_maskz_cvtepi8_epi32(0xffff, bytes));
#elif defined(__AVX2__)
  for (int i = 0; i < kByteRegisters; ++i) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i * kLanes));
    to[i] = (Register)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
  }
#elif defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i low = _mm_unpacklo_epi8(zero, bytes), high = _mm_unpackhi_epi8(zero, bytes);
  to[0] = (Register)_mm_cvtepi32_ps(_mm_unpacklo_epi16(zero, low));
  to[1] = (Register)_mm_cvtepi32_ps(_mm_unpackhi_epi16(zero, low));
  to[2] = (Register)_mm_cvtepi32_ps(_mm_unpacklo_epi16(zero, high));
  to[3] = (Register)_mm_cvtepi32_ps(_mm_unpackhi_epi16(zero, high));
#else
  using Bytes = std::int8_t __attribute__((vector_size(kLanes)));
  for (int i = 0; i < kByteRegisters; ++i) {
    Bytes bytes;
    __builtin_memcpy(&bytes, from + i * kLanes, sizeof(bytes));
    to[i] = __builtin_convertvector(bytes, Register);
  }
#endif
}

// Converts a single number.
inline float widen(float value) noexcept { return value; }
template <typename Narrow>
float widen(Narrow value) noexcept {
  Narrow filled[kLanes] = {value};
  return load(filled)[0];
}

}  // namespace tril::TRIL_ISA
