#include <tril/matmul/dot_rows.h>
#include <tril/matmul/q8_0.h>
#include <tril/matmul/weight.h>

namespace tril::TRIL_ISA {
namespace {

// Number of rows multiplied at once, so that x is loaded once for all of them: with AVX-512, this
// is 1.5 times as fast from the level-2 cache as one row after another. Processors prefetch four
// streams badly, at a third of the speed from memory, so the rows are prefetched as the single
// stream that they form; without an instruction for that, as in WebAssembly, rows are read one
// after another.
constexpr int kRowsAtOnce = kLanes == 4 ? 1 : 4;
constexpr Index kAhead = 4096;  // bytes

// Prefetches the share of block `n` of the bytes kAhead after `first`.
template <int Rows>
void fetch(const Q8Block* first, Index n) noexcept {
  constexpr Index kShare = Rows * static_cast<Index>(sizeof(Q8Block)), kLine = 64;
  const auto* const at = reinterpret_cast<const char*>(first) + kAhead + n * kShare;
  for (Index i = 0; i < kShare; i += kLine) __builtin_prefetch(at + i);
}

const Q8Block* blocks_of(const std::byte* row) noexcept {
  return reinterpret_cast<const Q8Block*>(row);
}

// The scale of a block divided by kByteUnit, in all lanes.
Register scale_of(const Q8Block& block) noexcept {
  const Register scale = broadcast(Float16{block.scale});
  if constexpr (kByteUnit == 1) return scale;
  return scale * broadcast(1 / kByteUnit);
}

// sum[r] += x . b[r], lane by lane, over `blocks` blocks:
//   for each block, each row:  sum += scale * (x . quants)
template <int Rows>
void add_blocks(const float* x, const Q8Block* b, Index row_blocks, Index blocks,
                Register (&sum)[Rows]) noexcept {
  const Q8Block* const begin = b;
  for (Index n = 0; n < blocks; ++n, ++b, x += kQ8Block) {
    fetch<Rows>(begin, n);
    Register part[Rows] = {};
    for (Index half = 0; half < kQ8Block; half += 16) {
      Register numbers[kByteRegisters];
      for (int i = 0; i < kByteRegisters; ++i) numbers[i] = load(x + half + i * kLanes);
      for (int r = 0; r < Rows; ++r) {
        Register quants[kByteRegisters];
        load_bytes(b[r * row_blocks].quants + half, quants);
        for (int i = 0; i < kByteRegisters; ++i) part[r] = madd(numbers[i], quants[i], part[r]);
      }
    }
    for (int r = 0; r < Rows; ++r) {
      sum[r] = madd(scale_of(b[r * row_blocks]), part[r], sum[r]);
    }
  }
}

// x in whole blocks: the last numbers are copied and padded with zeros.
struct Vector {
  const float* x;
  Index blocks;  // whole blocks
  bool has_last;
  float last[kQ8Block] = {};

  Vector(const float* from, Index depth) noexcept
      : x(from), blocks(depth / kQ8Block), has_last(depth % kQ8Block != 0) {
    for (Index i = 0; i < depth % kQ8Block; ++i) last[i] = from[blocks * kQ8Block + i];
  }
};

template <int Rows>
void dot_together(const Vector& x, const Q8Block* b, Index row_blocks,
                  Register (&sum)[Rows]) noexcept {
  for (int r = 0; r < Rows; ++r) sum[r] = Register{};
  add_blocks(x.x, b, row_blocks, x.blocks, sum);
  if (x.has_last) add_blocks(x.last, b + x.blocks, row_blocks, 1, sum);
}

// for each kDottedRows rows of b:  their dot products with x
void dot_q8_rows(const float* from, const std::byte* rows, Index depth, Index cols,
                 const TileOutput& out) noexcept {
  const Vector x(from, depth);
  const Index row_blocks = q8_blocks(depth);
  const Q8Block* b = blocks_of(rows);
  Index j = 0;
  for (; j + kDottedRows <= cols; j += kDottedRows, b += kDottedRows * row_blocks) {
    float sums[kDottedRows];
    Register sum[kDottedRows];
    for (int r = 0; r < kDottedRows; r += kRowsAtOnce) {
      Register together[kRowsAtOnce];
      dot_together(x, b + r * row_blocks, row_blocks, together);
      for (int i = 0; i < kRowsAtOnce; ++i) sum[r + i] = together[i];
    }
    if constexpr (kLanes == 4) {
      for (int r = 0; r < kDottedRows; ++r) sums[r] = reduce_add(sum[r]);
    } else {
      store(sums, sums_across(sum));
    }
    for (int r = 0; r < kDottedRows; ++r) store_one(sums[r], out, j + r);
  }
  for (; j < cols; ++j, b += row_blocks) {
    Register sum[1];
    dot_together(x, b, row_blocks, sum);
    store_one(reduce_add(sum[0]), out, j);
  }
}

// A whole block.
void widen_block(const Q8Block& block, float* to) noexcept {
  const Register scale = scale_of(block);
  for (Index half = 0; half < kQ8Block; half += 16) {
    Register quants[kByteRegisters];
    load_bytes(block.quants + half, quants);
    for (int i = 0; i < kByteRegisters; ++i) store(to + half + i * kLanes, scale * quants[i]);
  }
}

void widen_q8(const std::byte* row, Index first, Index count, float* to) noexcept {
  const Q8Block* block = blocks_of(row) + first / kQ8Block;
  Index at = first % kQ8Block;
  while (count > 0) {
    const Index part = count < kQ8Block - at ? count : kQ8Block - at;
    if (part == kQ8Block) {
      widen_block(*block, to);
    } else {
      float whole[kQ8Block];
      widen_block(*block, whole);
      for (Index i = 0; i < part; ++i) to[i] = whole[at + i];
    }
    to += part, count -= part, at = 0, ++block;
  }
}

}  // namespace

extern const WeightFormat kQ8_0;
const WeightFormat kQ8_0{WeightKind::q8_0, kQ8Block, sizeof(Q8Block), dot_q8_rows, widen_q8};

}  // namespace tril::TRIL_ISA
