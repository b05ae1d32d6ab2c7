#include "memory_kernels.h"

#include <tril/foundation/simd.h>

namespace tril::TRIL_ISA {
namespace {

constexpr int kSums = 8;  // enough that additions do not wait for one another

float read(const float* x, Index count) noexcept {
  Register sums[kSums] = {};
  for (Index i = 0; i < count; i += kSums * kLanes) {
    for (int n = 0; n < kSums; ++n) sums[n] += load(x + i + n * kLanes);
  }
  float total = 0;
  for (const Register& each : sums) {
    for (int lane = 0; lane < kLanes; ++lane) total += each[lane];
  }
  return total;
}

}  // namespace

extern const bench::MemoryKernels kMemory;
const bench::MemoryKernels kMemory{read};

}  // namespace tril::TRIL_ISA
