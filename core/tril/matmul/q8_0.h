// q8_0 in GGUF's layout: a row is blocks of 32 numbers, 34 bytes each,
//
//   scale    float16, max |x| / 127, rounded
//   quants   32 integers of 8 bits, x * 127 / max |x| rounded to the nearest, halves away from 0
//
// A number is scale * quant, which a float represents exactly. Zeros fill the last block of a row
// whose length is not a multiple of 32.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <cstdint>

namespace tril {

inline constexpr Index kQ8Block = 32;  // numbers of a block

// A block, in memory and in files.
struct Q8Block {
  std::uint16_t scale;           // float16
  std::int8_t quants[kQ8Block];  // a number is quant * scale
};
static_assert(sizeof(Q8Block) == 34);

// The number of blocks of a row.
constexpr Index q8_blocks(Index cols) noexcept { return (cols + kQ8Block - 1) / kQ8Block; }

// Quantises a row of `cols` floats to q8_blocks(cols) blocks, whose address may be odd. As in
// ggml's reference, quants are computed with the scale before its rounding. Returns false, with
// meaningless output, where a number is not finite, or so large (from 127 * 65520 on) that its
// scale is beyond float16.
bool quantise_q8_0(const float* row, Index cols, std::byte* out) noexcept;

}  // namespace tril
