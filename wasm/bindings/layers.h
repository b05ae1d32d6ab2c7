#pragma once

#include <tril/layers/positions.h>

#include "tensor.h"

namespace tril::js {

// x [..., in], weight [out, in], bias [out] or null; gives [..., out].
TensorHandle linear(Engine& engine, const Tensor& x, const Tensor& weight, const Tensor* bias,
                    Tensor* out);

// ids of any shape `ids_shape`, table [V, C]; gives [..., C].
TensorHandle embedding(Engine& engine, const Integers& ids, const Numbers& ids_shape,
                       const Tensor& table, Tensor* out);

// Gives [length, width].
TensorHandle sinusoidal_positions(Engine& engine, int length, int width,
                                  const SinusoidalOptions& options, Tensor* out);

struct RotaryOptions {
  double base;
  bool interleaved;  // pairs (2 i, 2 i + 1), else (i, R/2 + i)
  int width;         // R: how many elements of a head are turned; 0: all
};

// x [B, H, T, D], [H, T, D] or [T, D]; positions [T], or [B, T] for batches of their own.
TensorHandle rotary_positions(Engine& engine, const Tensor& x, const Integers& positions,
                              const RotaryOptions& options, Tensor* out);

}  // namespace tril::js
