// q8_0, by GGUF's layout: a row in blocks of 32 numbers, 34 bytes each,
//
//   scale    float16, max |x| / 127, rounded
//   quants   32 integers of 8 bits, x * 127 / max |x| rounded to the nearest, halves away from 0
//
// and each number stands for scale * quant, which a float holds exactly. The last block of a row
// that is no multiple of 32 long is filled up with zeros.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <cstdint>

namespace tril {

inline constexpr Index kQ8Block = 32;  // numbers of a block, which share a scale

// 32 numbers, as in memory and in files.
struct Q8Block {
  std::uint16_t scale;           // float16
  std::int8_t quants[kQ8Block];  // each number is one of them, times the scale
};
static_assert(sizeof(Q8Block) == 34);

// How many blocks a row takes.
constexpr Index q8_blocks(Index cols) noexcept { return (cols + kQ8Block - 1) / kQ8Block; }

// A row of `cols` floats as q8_blocks(cols) blocks, whose address may be odd. As ggml's reference
// does it: quants are of the scale before it is rounded. Returns false, having written nothing of
// use, where a number is not finite, or so large that its scale is beyond float16: from 127 * 65520
// on.
bool quantise_q8_0(const float* row, Index cols, std::byte* out) noexcept;

}  // namespace tril
