// Kernels of the backward passes of softmax and of norms over rows; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct BackwardKernels {
  // The backward pass of out = softmax(scale * x):
  //   d_x[i] = scale * out[i] * (d_out[i] - sum over j of d_out[j] out[j]).
  // d_x may be d_out or out.
  using Softmax = void (*)(const float* d_out, const float* out, float* d_x, Index count,
                           float scale) noexcept;
  Softmax softmax;
  // The backward pass of out = log(softmax(scale * x)):
  //   d_x[i] = scale * (d_out[i] - e^out[i] * sum over j of d_out[j]).
  Softmax log_softmax;
  // The same for every column of matrices [rows, cols], whose rows are a stride apart.
  using SoftmaxColumns = void (*)(const float* d_out, Index d_out_stride, const float* out,
                                  Index out_stride, float* d_x, Index d_x_stride, Index rows,
                                  Index cols, float scale) noexcept;
  SoftmaxColumns softmax_columns, log_softmax_columns;
  // The backward pass of z = (x - mean) * rstd, out = z * weight + bias. With g = d_out * weight,
  // or d_out where weight is null:
  //   d_x = rstd * (g - mean of g - z * mean of (g z))
  //   d_weight += d_out * z,  d_bias += d_out,  each where it is not null.
  // d_x may be d_out.
  void (*layer_norm)(const float* d_out, const float* x, const float* weight, float mean,
                     float rstd, float* d_x, float* d_weight, float* d_bias, Index cols) noexcept;
  // The backward pass of z = x * rstd, out = z * weight, where rstd = 1 / sqrt(mean square + eps):
  //   d_x = rstd * (g - z * mean of (g z)),  d_weight += d_out * z.
  void (*rms_norm)(const float* d_out, const float* x, const float* weight, float rstd, float* d_x,
                   float* d_weight, Index cols) noexcept;
};

const BackwardKernels& backward_kernels(Isa isa = best_isa());

}  // namespace tril
