// The most that the registers of one core can do: multiply-adds, laid out like those of the
// register tile, that wait neither for memory nor for one another. A product's speed is a share of
// this, when both are timed in the same run.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// One instruction set's multiply-adds.
struct PeakKernels {
  // Floating-point operations of one round.
  Index round_flops;
  // `rounds` rounds of sum += x * 1 in all lanes of a tile of sums, which begin at 0. Returns the
  // sum of all, so that nothing of it can be left out.
  float (*multiply_add)(Index rounds, float x) noexcept;
};

// Those of an instruction set that this processor has.
const PeakKernels& peak_kernels(Isa isa = best_isa());

// Runs `rounds` rounds and returns how many floating-point operations they were; the time is the
// caller's to take, over 20 ms or more. Throws Error below 1 round.
double run_peak(Index rounds, Isa isa = best_isa());

}  // namespace tril
