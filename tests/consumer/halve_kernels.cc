#include <tril/foundation/simd.h>

#include "halve.h"

namespace tril::TRIL_ISA {
namespace {

void halve(const float* x, float* out, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, load(x + i) * 0.5f);
  for (; i < count; ++i) out[i] = x[i] * 0.5f;
}

}  // namespace

extern const HalveKernels kHalveKernels;
const HalveKernels kHalveKernels{halve};

}  // namespace tril::TRIL_ISA
