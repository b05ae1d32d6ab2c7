#pragma once

#include <tril/layers/activations.h>

#include <string>

#include "tensor.h"

namespace tril::js {

// Throws Error, naming `call`, where there is none of that name.
inline Activation activation_named(const std::string& name, const char* call) {
  return value_named(kActivations, name, call, "activation");
}

// One of them, element by element.
TensorHandle activate(Engine& engine, const Tensor& x, const std::string& activation, Tensor* out);

// x [..., C], weights linear1.weight [F, C], linear1.bias [F], linear2.weight [C, F] and
// linear2.bias [C], biases optional. Gives output (unless `out` was written) and, with a trace,
// hidden and activated, [..., F].
NamedTensors feed_forward(Engine& engine, const Tensor& x, const NamedTensors& weights,
                          const std::string& activation, bool trace, Tensor* out);

}  // namespace tril::js
