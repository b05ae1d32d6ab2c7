// Softmax of one row, or of all columns of a matrix at once: one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// One row x[0, count), scale > 0; out may be x.
using SoftmaxRow = void (*)(const float* x, float* out, Index count, float scale) noexcept;
// Every column of x [rows, cols]; rows lie a stride apart; out may be x with the same stride.
using SoftmaxColumns = void (*)(const float* x, Index x_stride, float* out, Index out_stride,
                                Index rows, Index cols, float scale) noexcept;

struct SoftmaxKernels {
  // out = softmax(scale * x).
  SoftmaxRow row;
  SoftmaxColumns columns;
  // out = log(softmax(scale * x)).
  SoftmaxRow log_row;
  SoftmaxColumns log_columns;
};

const SoftmaxKernels& softmax_kernels(Isa isa = best_isa());

}  // namespace tril
