// Kernels of optimizer steps over arrays; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct OptimizerKernels {
  // The numbers of a step that are the same for all elements (optimizers.h).
  struct AdamW {
    float keep;   // 1 - rate * weight_decay
    float scale;  // of the gradient
    float gain1;  // 1 - beta1
    float beta2;
    float gain2;       // 1 - beta2
    float step;        // rate / (1 - beta1^t)
    float root_scale;  // 1 / sqrt(1 - beta2^t)
    float eps;
  };
  // m += gain1 (g - m);  v = beta2 v + gain2 g^2;  x = keep x - step m / (root_scale sqrt(v) + eps)
  void (*adamw)(float* x, const float* g, float* m, float* v, Index count,
                const AdamW& numbers) noexcept;

  struct Sgd {
    float rate, momentum, weight_decay, scale;
  };
  // g = scale g + weight_decay x;  m = momentum m + g;  x -= rate m, or rate g where m is null.
  void (*sgd)(float* x, const float* g, float* m, Index count, const Sgd& numbers) noexcept;

  // Returns the sum of x[i]^2.
  double (*squares)(const float* x, Index count) noexcept;
};

const OptimizerKernels& optimizer_kernels(Isa isa = best_isa());

}  // namespace tril
