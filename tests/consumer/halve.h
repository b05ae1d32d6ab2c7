// A kernel of another project.
#pragma once

#include <tril/foundation/isa.h>

namespace tril {

struct HalveKernels {
  // out[i] = x[i] / 2 for `count` elements.
  void (*halve)(const float* x, float* out, int count);
};

const HalveKernels& halve_kernels(Isa isa = best_isa());

}  // namespace tril
