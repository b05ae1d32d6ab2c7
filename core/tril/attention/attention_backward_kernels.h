// Kernels of attention's backward pass over rows of scores; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct AttentionBackwardKernels {
  // Returns the sum of x[i] y[i].
  float (*dot)(const float* x, const float* y, Index count) noexcept;
  // x[i] = e^(x[i] - log_sum_exp): scores become weights, 0 where hidden, and all 0 for a query
  // that sees nothing, whose log_sum_exp is infinite. Hidden scores are -infinity, and their
  // weights 0 even where log_sum_exp is NaN.
  void (*weights)(float* x, Index count, float log_sum_exp) noexcept;
  // Turns gradients of weights into gradients of scores: d[i] = weights[i] * (d[i] - delta), and 0
  // where the weight is 0, whatever d[i] is.
  void (*scores)(const float* weights, float* d, Index count, float delta) noexcept;
  // slope[i] = 1 - (x[i] / limit)^2, the slope of limit * tanh(. / limit) where its value is x[i].
  void (*cap_slope)(const float* x, float* slope, Index count, float limit) noexcept;
  // x[i] *= y[i]; 0 stays 0, whatever y[i] is.
  void (*multiply)(float* x, const float* y, Index count) noexcept;
  // The backward pass of score = sum of weights[i] tanh(q[i] + k[i]), whose gradient is d:
  //   d_sum[i] += d weights[i] (1 - tanh^2),  d_weights[i] += d tanh, where it is not null.
  void (*additive_score)(const float* q, const float* k, const float* weights, float d,
                         float* d_sum, float* d_weights, Index count) noexcept;
};

const AttentionBackwardKernels& attention_backward_kernels(Isa isa = best_isa());

}  // namespace tril
