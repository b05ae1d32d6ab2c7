#pragma once

#include <tril/layers/rotary_positions.h>

#include <string>

#include "tensor.h"

namespace tril::js {

struct RotaryOptions {
  double base;
  std::string pairs;  // "halves" or "interleaved"
  int width;          // R: elements of a head that are turned; 0: all, or the tables' width
  int heads;          // 0: heads have an axis of their own
};

// Turns x by the core's rotary_positions or rotary_positions_backward; errors call x `argument`. x
// [B, H, T, D], [H, T, D] or [T, D], or with heads [B, T, H*D] or [T, H*D]; positions [T], or [B,
// T] for separate positions per batch, or empty: 0, 1, 2, .... cos and sin (both or none) [T, R /
// 2] or [B, T, R / 2], or, with positions, [any, R / 2], from which they select rows.
TensorHandle rotated(Engine& engine, const char* argument, decltype(&tril::rotary_positions) turn,
                     const Tensor& x, const Integers& positions, const Tensor* cos,
                     const Tensor* sin, const RotaryOptions& options, Tensor* out);

}  // namespace tril::js
