#include <tril/foundation/simd.h>
#include <tril/lessons/peak.h>

namespace tril::TRIL_ISA {
namespace {

// Sums as in the register tile, few enough that an engine that reserves registers does not spill,
// and enough that an addition, of up to 4 cycles, is finished before its sum is used again:
//   4 lanes:  2 * 4 =  8 sums, + 4 of y + 1 of x = 13 of 16 registers
//   8 lanes:  6 * 2 = 12 sums, + 2 of y + 1 of x = 15 of 16
//   16 lanes: 6 * 4 = 24 sums, + 4 of y + 1 of x = 29 of 32
constexpr int kRows = kLanes == 4 ? 2 : 6, kCols = kLanes == 8 ? 2 : 4;

// x comes from a table in the level-1 cache: the product with a constant would be computed only
// once.
constexpr Index kTable = 256;

// Each value is loaded again, as if it might have changed, so that no product is known beforehand
// or reused.
template <int Count>
void fill_unseen(float (&values)[Count], float value) noexcept {
  const volatile float unseen = value;
  for (float& one : values) one = unseen;
}

float multiply_add(Index rounds, float x) noexcept {
  float table[kTable * kRows], factors[kCols][kLanes];
  fill_unseen(table, x);
  Register y[kCols], sum[kRows][kCols] = {};
  for (int c = 0; c < kCols; ++c) {
    fill_unseen(factors[c], 1);
    y[c] = load(factors[c]);
  }
  for (Index done = 0; done < rounds; done += kTable) {
    const Index part = rounds - done < kTable ? rounds - done : kTable;
#pragma GCC unroll 1
    for (Index round = 0; round < part; ++round) {
      for (int r = 0; r < kRows; ++r) {
        const Register one = broadcast(table[round * kRows + r]);
        for (int c = 0; c < kCols; ++c) sum[r][c] = madd(one, y[c], sum[r][c]);
      }
    }
  }
  Register total{};
  for (const auto& row : sum) {
    for (const Register& one : row) total += one;
  }
  return reduce_add(total);
}

}  // namespace

extern const PeakKernels kPeakKernels;
const PeakKernels kPeakKernels{2 * kRows * kCols * kLanes, multiply_add};

}  // namespace tril::TRIL_ISA
