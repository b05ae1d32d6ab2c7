// What the backward pass of attention does to rows of scores; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct AttentionBackwardKernels {
  // The sum of x[i] y[i].
  float (*dot)(const float* x, const float* y, Index count) noexcept;
  // x[i] = e^(x[i] - log_sum_exp): scores become weights, 0 where hidden, and all 0 for a query
  // that sees nothing, whose log_sum_exp is infinite. Hidden scores are -infinity, and their
  // weights 0 even where log_sum_exp is NaN.
  void (*weights)(float* x, Index count, float log_sum_exp) noexcept;
  // d[i] = weights[i] * (d[i] - delta), 0 where the weight is 0, whatever d is there: the gradients
  // of weights become those of scores.
  void (*scores)(const float* weights, float* d, Index count, float delta) noexcept;
  // slope[i] = 1 - (x[i] / limit)^2: that of limit * tanh(. / limit), given its value.
  void (*cap_slope)(const float* x, float* slope, Index count, float limit) noexcept;
  // x[i] *= y[i]; 0 stays 0, whatever y is.
  void (*multiply)(float* x, const float* y, Index count) noexcept;
  // Of score = sum of weights[i] tanh(q[i] + k[i]), given its gradient d:
  //   d_sum[i] += d weights[i] (1 - tanh^2),  d_weights[i] += d tanh, where it is not null.
  void (*additive_score)(const float* q, const float* k, const float* weights, float d,
                         float* d_sum, float* d_weights, Index count) noexcept;
};

const AttentionBackwardKernels& attention_backward_kernels(Isa isa = best_isa());

}  // namespace tril
