// Kernels of the losses of one row; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct LossKernels {
  struct Row {
    float shift;    // the largest x, or 0 where that is -infinity
    double powers;  // the sum of e^(x - shift)
    double sum;     // the sum of x
    bool correct;   // whether x[target] is the largest element, the first of equal ones
  };
  // The loss of one row of logits x[0, count). d_x may be x; unless it is null,
  //   d_x[i] = factor * (e^x[i] / sum e^x - share),  d_x[target] -= factor * rest.
  Row (*cross_entropy)(const float* x, Index target, float* d_x, Index count, float factor,
                       float share, float rest) noexcept;
  // Returns the sum of (x[i] - y[i])^2; d_x[i] = factor * (x[i] - y[i]) where it is not null.
  double (*squared_error)(const float* x, const float* y, float* d_x, Index count,
                          float factor) noexcept;
};

const LossKernels& loss_kernels(Isa isa = best_isa());

}  // namespace tril
