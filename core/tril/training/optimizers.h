// Optimizers, which update parameters by their gradients.
//
// AdamW (Loshchilov and Hutter 2019), as torch.optim.AdamW; with g the gradient times
// gradient_scale, in step t = 1, 2, ...:
//
//   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
//   x = (1 - rate * weight_decay) x - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
//
// Stochastic gradient descent with momentum (Sutskever et al. 2013), as torch.optim.SGD:
//
//   g = g + weight_decay x,  m = momentum m + g,  x = x - rate m
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// Options of AdamW, with PyTorch's defaults. All are finite; learning_rate is above 0, each beta in
// [0, 1), eps and weight_decay at least 0.
struct AdamWOptions {
  double learning_rate = 1e-3;  // rate
  double beta1 = 0.9;           // decay of the first moment
  double beta2 = 0.999;         // decay of the second moment
  double eps = 1e-8;            // keeps the divisor above 0
  double weight_decay = 1e-2;   // 0 for biases, norms and all other vectors
  double gradient_scale = 1;    // for clipping (gradient_norm.h) in the same pass
};

// A step of AdamW, in one pass over four arrays [N]: updates values and moments, and reads the
// gradient. The moments are 0 before step 1. Throws Error where lengths differ, arrays overlap,
// step is below 1 or an option is out of range, before anything is written.
void adamw_step(VectorView<float> values, VectorView<const float> gradient,
                VectorView<float> first_moment, VectorView<float> second_moment, std::int64_t step,
                const AdamWOptions& options, const Context& context = {});

// Options of SGD, with PyTorch's names; momentum is in [0, 1).
struct SgdOptions {
  double learning_rate = 1e-3;  // rate
  double momentum = 0;          // share of the last update that is kept
  double weight_decay = 0;      // 0 for biases, norms and all other vectors
  double gradient_scale = 1;    // as in AdamWOptions
};

// A step of SGD: updates values and momentum [N]. The momentum is 0 before the first step, and may
// be a null view where options.momentum is 0. Throws Error like adamw_step.
void sgd_step(VectorView<float> values, VectorView<const float> gradient,
              VectorView<float> momentum, const SgdOptions& options, const Context& context = {});

}  // namespace tril
