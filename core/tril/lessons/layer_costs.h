// The costs of layers (lessons/cost.h says what is counted).
#pragma once

#include <tril/layers/activations.h>
#include <tril/lessons/cost.h>

namespace tril {

// The flops of one element: relu 1 (the comparison); silu 3 (exp, addition, division); gelu 5 (x
// times a half times 1 + erf(x / sqrt 2)); gelu_tanh 9 (three products for 0.044715 x^3, the
// addition, the factor, tanh, 1 + tanh, times x, times a half).
double activation_flops(Activation activation) noexcept;

// The cost of an activation of `count` elements. Throws Error for a count below 1.
Cost activation_cost(Index count, Activation activation);

// x [rows, in] W^T [in, out] + b: 2 rows in out flops, and rows out with a bias.
Cost linear_cost(Index rows, Index in, Index out, bool bias);

// Layer norm with scale and shift: 8 flops an element (the sum; difference, square and their sum;
// difference, product, scale, shift) and 5 a row (two divisions by the length, eps, square root,
// reciprocal). Without scale and shift 6 an element.
Cost layer_norm_cost(Index rows, Index width, bool affine);

// The sizes of a feed-forward.
struct FeedForwardSizes {
  Index rows = 1;                            // N
  Index width = 1;                           // C
  Index hidden = 1;                          // F
  Activation activation = Activation::relu;  // of the hidden layer
  bool bias = true;                          // whether the two layers have biases
};

// The cost of two linear layers and the activation between them. Held: the hidden layer.
Cost feed_forward_cost(const FeedForwardSizes& sizes);

}  // namespace tril
