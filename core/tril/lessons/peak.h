// The peak speed of one core: multiply-adds arranged as in the register tile, which wait neither
// for memory nor for one another. Timed in the same run, the speed of a product is a share of this.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The multiply-adds of an instruction set.
struct PeakKernels {
  // Floating-point operations of one round.
  Index round_flops;
  // Runs `rounds` rounds of sum += x * 1 in all lanes of a tile of sums, which begin at 0. Returns
  // the total, so that the compiler cannot remove any of it.
  float (*multiply_add)(Index rounds, float x) noexcept;
};

// The kernels of an instruction set that this processor has.
const PeakKernels& peak_kernels(Isa isa = best_isa());

// Runs `rounds` rounds and returns their floating-point operations. The caller takes the time,
// which should be 20 ms or more. Throws Error below 1 round.
double run_peak(Index rounds, Isa isa = best_isa());

}  // namespace tril
