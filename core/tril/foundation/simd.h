// A register of floats and its operations. Only this header and isa.h know the target.
//
// It uses the vector extensions of GCC and Clang: 4 lanes in WebAssembly, on Arm and on plain
// x86-64, 8 with AVX2, 16 with AVX-512. It is for kernel files only (*_kernels.cc and their
// headers). These are compiled once per instruction set, which TRIL_ISA names; everything here is
// in that namespace, so that no copy is linked in place of another.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>
#include <utility>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#ifndef TRIL_ISA
#error "simd.h is for kernel files: add the file with tril_add_kernels"
#endif

namespace tril::TRIL_ISA {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

using Register = float __attribute__((vector_size(kLanes * sizeof(float))));
// One integer per lane. A comparison of registers gives all ones where it is true, else zero.
using IntRegister = std::int32_t __attribute__((vector_size(kLanes * sizeof(float))));

namespace detail {
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  Register value;
};
}  // namespace detail

// Needs no alignment.
inline Register load(const float* from) noexcept {
  return reinterpret_cast<const detail::Unaligned*>(from)->value;
}
inline void store(float* to, Register value) noexcept {
  reinterpret_cast<detail::Unaligned*>(to)->value = value;
}

inline Register broadcast(float value) noexcept {
#if defined(__wasm_simd128__)
  return (Register)wasm_f32x4_splat(value);
#else
  return value - Register{};  // x - 0 is x for every x, -0 and NaN included
#endif
}

// broadcast for the constants of a loop, hidden from the compiler, which in WebAssembly would
// otherwise repeat the constant at each use.
inline Register constant(float value) noexcept {
#if defined(__wasm_simd128__)
  asm("" : "+r"(value));
#endif
  return broadcast(value);
}

// Loads the first `count` < kLanes elements; the other lanes hold `fill`.
inline Register load_part(const float* from, Index count, float fill) noexcept {
  Register value = broadcast(fill);
  for (Index lane = 0; lane < count; ++lane) value[lane] = from[lane];
  return value;
}
inline void store_part(float* to, Register value, Index count) noexcept {
  for (Index lane = 0; lane < count; ++lane) to[lane] = value[lane];
}

// a * b + c of single numbers, rounded once where the target fuses it, else twice. Compilers may
// not fuse on their own (kernels.cmake), so that all of them give the same bits.
inline float madd(float a, float b, float c) noexcept {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__riscv_flen) || \
    defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// The same for registers; relaxed WebAssembly fuses these, too.
inline Register madd(Register a, Register b, Register c) noexcept {
#if defined(__wasm_relaxed_simd__)
  return (Register)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
#elif defined(__AVX512F__)
  return (Register)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
  return (Register)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
  return (Register)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__wasm_simd128__) || defined(__SSE2__)
  return a * b + c;
#else
  for (int lane = 0; lane < kLanes; ++lane) c[lane] = madd(a[lane], b[lane], c[lane]);
  return c;
#endif
}

// The smaller one; b where either is NaN, so that min(limit, x) keeps a NaN of x.
inline Register min(Register a, Register b) noexcept {
#if defined(__wasm_simd128__)
  return (Register)wasm_f32x4_pmin((v128_t)b, (v128_t)a);  // one instruction, unlike f32x4.min
#else
  return a < b ? a : b;
#endif
}
// The larger one; b where either is NaN.
inline Register max(Register a, Register b) noexcept {
#if defined(__wasm_simd128__)
  return (Register)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
  return a > b ? a : b;
#endif
}

// Correctly rounded; NaN for numbers below 0.
inline Register sqrt(Register x) noexcept {
#if defined(__wasm_simd128__)
  return (Register)wasm_f32x4_sqrt((v128_t)x);
#elif defined(__AVX512F__)
  // GCC 12 warns about its own _mm512_sqrt_ps; a mask of all lanes gives the same instruction.
  return (Register)_mm512_maskz_sqrt_ps(0xffff, (__m512)x);
#elif defined(__AVX2__)
  return (Register)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
  return (Register)_mm_sqrt_ps((__m128)x);
#else
  for (int lane = 0; lane < kLanes; ++lane) x[lane] = __builtin_sqrtf(x[lane]);
  return x;
#endif
}

// Bitwise or.
inline Register bitwise_or(Register a, Register b) noexcept {
  return (Register)((IntRegister)a | (IntRegister)b);
}

// Each lane is a's where the mask is all ones, b's where it is zero.
inline Register select(IntRegister mask, Register a, Register b) noexcept {
#if defined(__wasm_simd128__)
  return (Register)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
  return mask ? a : b;
#endif
}

// Whether any bit of any lane is set.
inline bool any_lane(IntRegister mask) noexcept {
  std::int32_t any = 0;
  for (int lane = 0; lane < kLanes; ++lane) any |= mask[lane];
  return any != 0;
}

namespace detail {
// Rotates the lanes: lane i gets lane i + Half. A shuffle does this in registers; single lanes
// would go through memory.
template <int Half, std::size_t... Lane>
inline Register rotate(Register value, std::index_sequence<Lane...>) noexcept {
  return __builtin_shufflevector(value, value, static_cast<int>((Lane + Half) % kLanes)...);
}
template <int Half>
inline Register rotate(Register value) noexcept {
  return rotate<Half>(value, std::make_index_sequence<kLanes>());
}
}  // namespace detail

// Reduces across the lanes in pairs: lane i with lane i + half, then with half of that.
template <int Half = kLanes / 2>
inline float reduce_add(Register value) noexcept {
  value += detail::rotate<Half>(value);
  if constexpr (Half > 1) return reduce_add<Half / 2>(value);
  return value[0];
}
template <int Half = kLanes / 2>
inline float reduce_max(Register value) noexcept {
  const Register other = detail::rotate<Half>(value);
  value = value > other ? value : other;
  if constexpr (Half > 1) return reduce_max<Half / 2>(value);
  return value[0];
}

}  // namespace tril::TRIL_ISA
