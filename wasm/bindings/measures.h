// Numbers about numbers: how far two tensors are apart, how the elements of one are spread, how
// concentrated weights are, and softmax step by step.
#pragma once

#include <tril/foundation/statistics.h>

#include "tensor.h"

namespace tril::js {

struct DifferenceResult {
  double count, beyond;
  double frobenius, expected_norm, relative, max_absolute, max_relative;
  double worst;  // the number of the worst element, in row-major order, and what stands there
  double worst_expected, worst_actual, worst_relative;
};

DifferenceResult compare(const Tensor& expected, const Tensor& actual, double absolute,
                         double relative);

Statistics statistics(const Tensor& x);
double growth(const Tensor& x, const Tensor& y);

// weights [..., C]; gives entropy and largest, [...] ([1] for one row).
NamedTensors concentration(Engine& engine, const Tensor& weights);

// x [..., C]; gives output and powers [..., C], shift and sum [...].
NamedTensors softmax_steps(Engine& engine, const Tensor& x, bool stable);

}  // namespace tril::js
