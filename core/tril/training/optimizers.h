// Steps: how parameters move against their gradients.
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

// PyTorch's defaults. Rates, eps and weight_decay are finite and at least 0, the rate above 0, each
// beta in [0, 1).
struct AdamWOptions {
  double learning_rate = 1e-3;  // rate
  double beta1 = 0.9;           // how much of the first moment is kept
  double beta2 = 0.999;         // of the second
  double eps = 1e-8;            // keeps the divisor from 0
  double weight_decay = 1e-2;   // 0 for biases, norms and whatever else is no matrix
  double gradient_scale = 1;    // clipping (gradient_norm.h) without a pass of its own
};

// One step of AdamW in one pass over four arrays [N]: values and moments change, the gradient
// does not. The moments are 0 before step 1. Throws Error where lengths differ, arrays overlap,
// step is below 1 or an option is out of range, before anything is written.
void adamw_step(VectorView<float> values, VectorView<const float> gradient,
                VectorView<float> first_moment, VectorView<float> second_moment, std::int64_t step,
                const AdamWOptions& options, const Context& context = {});

// PyTorch's names; momentum in [0, 1).
struct SgdOptions {
  double learning_rate = 1e-3;  // rate
  double momentum = 0;          // how much of the last move is kept
  double weight_decay = 0;      // 0 for biases, norms and whatever else is no matrix
  double gradient_scale = 1;    // as AdamWOptions has it
};

// One step of SGD: values and momentum [N] change, which is 0 before the first step and may be none
// where options.momentum is 0. Throws Error as adamw_step does.
void sgd_step(VectorView<float> values, VectorView<const float> gradient,
              VectorView<float> momentum, const SgdOptions& options, const Context& context = {});

}  // namespace tril
