#include <tril/foundation/check.h>
#include <tril/lessons/peak.h>

#include <string>

namespace tril {

TRIL_DEFINE_DISPATCH(PeakKernels, kPeakKernels, peak_kernels)

double run_peak(Index rounds, Isa isa) {
  if (rounds < 1) fail("run_peak", "rounds", {"must be at least 1, is ", rounds});
  const PeakKernels& kernels = peak_kernels(isa);
  // The test that the sum has grown makes the compiler compute it.
  const float sum = kernels.multiply_add(rounds, 1);
  if (!(sum > 0)) return 0;
  return static_cast<double>(rounds) * static_cast<double>(kernels.round_flops);
}

}  // namespace tril
