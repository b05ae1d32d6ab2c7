#include <tril/foundation/simd.h>
#include <tril/matmul/peak.h>

namespace tril::TRIL_ISA {
namespace {

// 2 * 4 = 8 sums, + 4 of y + 1 of x = 13 of 16 registers; an addition that takes up to 4 cycles is
// done before its sum's turn comes again. More sums do not fit once an engine keeps some registers.
constexpr int kRows = 2, kCols = 4;

// Of x there is a table in the level-1 cache, for a constant would be multiplied once and for all.
constexpr Index kTable = 16;

float multiply_add(Index rounds, float x) noexcept {
  float table[kTable * kRows];
  for (float& entry : table) entry = x;
  Register y[kCols], sum[kRows][kCols] = {};
  for (int c = 0; c < kCols; ++c) y[c] = broadcast(static_cast<float>(c + 1));
  for (Index round = 0; round < rounds; ++round) {
    const float* entry = table + round % kTable * kRows;
    for (int r = 0; r < kRows; ++r) {
      const Register one = broadcast(entry[r]);
      for (int c = 0; c < kCols; ++c) sum[r][c] = madd(one, y[c], sum[r][c]);
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
