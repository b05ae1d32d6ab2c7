// The way back through products, rotations, gates and feed-forwards, and the gated forms
// themselves.
#pragma once

#include <string>

#include "layers.h"
#include "matmul.h"

namespace tril::js {

// { dA, dB } of a and b; of the options only what is transposed is looked at.
NamedTensors matmul_backward(Engine& engine, const Tensor& d_out, const Tensor& a, const Tensor& b,
                             const MatmulOptions& options);

// Positions, tables and options as rotary_positions had them.
TensorHandle rotary_positions_backward(Engine& engine, const Tensor& d_out,
                                       const Integers& positions, const Tensor* cos,
                                       const Tensor* sin, const RotaryOptions& options,
                                       Tensor* out);

// gate and up of any shape, the same.
TensorHandle gated_activation(Engine& engine, const Tensor& gate, const Tensor& up,
                              const std::string& activation, Tensor* out);
// { dGate, dUp }
NamedTensors gated_activation_backward(Engine& engine, const Tensor& d_out, const Tensor& gate,
                                       const Tensor& up, const std::string& activation);

// x [..., C], linear1 [2 F, C], linear2 [C, F]. Gives output (unless `out` was written) and, with a
// trace, hidden [..., 2 F] and activated [..., F].
NamedTensors gated_feed_forward(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                const std::string& activation, bool trace, Tensor* out);

// dX, and dWeights.NAME for each weight that was given; gated or not.
NamedTensors feed_forward_backward(Engine& engine, bool gated, const Tensor& d_out, const Tensor& x,
                                   const NamedTensors& weights, const std::string& activation);

}  // namespace tril::js
