// What layers cost (foundation/cost.h says what is counted).
#pragma once

#include <tril/layers/activations.h>
#include <tril/lessons/cost.h>

namespace tril {

// Of one element: relu 1 (the comparison); silu 3 (exp, addition, division); gelu 5 (x times a half
// times 1 + erf(x / sqrt 2)); gelu_tanh 9 (three products for 0.044715 x^3, the addition, the
// factor, tanh, and again 1 + it, times x, times a half).
double activation_flops(Activation activation) noexcept;

// Of so many elements. Throws Error for a count below 1.
Cost activation_cost(Index count, Activation activation);

// x [rows, in] W^T [in, out] + b: 2 rows in out flops, and rows out with a bias.
Cost linear_cost(Index rows, Index in, Index out, bool bias);

// Layer norm of rows, scaled and shifted: 8 flops an element (the sum; difference, square and their
// sum; difference, product, scale, shift) and 5 a row (two divisions by the length, eps, square
// root, reciprocal). Without scale and shift 6.
Cost layer_norm_cost(Index rows, Index width, bool affine);

// The sizes of a feed-forward.
struct FeedForwardSizes {
  Index rows = 1;                            // N
  Index width = 1;                           // C
  Index hidden = 1;                          // F
  Activation activation = Activation::relu;  // between the two layers
  bool bias = true;                          // whether they have one
};

// Two linear layers and what stands between them. Held: the hidden layer.
Cost feed_forward_cost(const FeedForwardSizes& sizes);

}  // namespace tril
