#include <tril/foundation/simd.h>
#include <tril/layers/reduce_kernels.h>

namespace tril::TRIL_ISA {
namespace {

// In these loops the lanes are independent, and there are no branches, so that compilers vectorise
// them to registers of doubles.

void add(const float* x, double* values, Index count) noexcept {
  for (Index i = 0; i < count; ++i) values[i] += static_cast<double>(x[i]);
}

// A NaN stays, since no comparison with it holds.
void max(const float* x, double* values, Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    const double each = x[i];
    values[i] = ((each > values[i]) | (each != each)) ? each : values[i];
  }
}

void min(const float* x, double* values, Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    const double each = x[i];
    values[i] = ((each < values[i]) | (each != each)) ? each : values[i];
  }
}

void argmax(const float* x, double place, double* values, double* places, Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    const double each = x[i];
    const bool better = (each > values[i]) | ((each != each) & (values[i] == values[i]));
    values[i] = better ? each : values[i];
    places[i] = better ? place : places[i];
  }
}

}  // namespace

extern const ReduceKernels kReduceKernels;
const ReduceKernels kReduceKernels{add, max, min, argmax};

}  // namespace tril::TRIL_ISA
