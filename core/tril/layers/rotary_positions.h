// Positions as rotations (Su et al. 2021): pair i of a query or key at position p is turned by p *
// base^(-2 i / R), so that a query times a key depends on the distance of their positions alone.
//
//   out[a_i] = cos x[a_i] - sin x[b_i]
//   out[b_i] = sin x[a_i] + cos x[b_i]      i = 0 .. R / 2 - 1
//
// The pairs are halves, (a_i, b_i) = (i, R/2 + i), or interleaved, (2 i, 2 i + 1). Elements from R
// on stay.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// cos[n, i], sin[n, i] = those of positions[n] * base^(-2 i / R), both [N, R / 2]. Computed in
// double and rounded once. Throws Error where shapes do not fit, for a base that is not finite and
// above 0, and for a position whose fastest pair would turn by more than 2^31 radians.
void rotary_angles(VectorView<const std::int32_t> positions, double base, MatrixView<float> cos,
                   MatrixView<float> sin);

// Which elements are turned together.
enum class RotaryPairs { halves, interleaved };

// Their names.
inline constexpr Named<RotaryPairs> kRotaryPairs[] = {{"halves", RotaryPairs::halves},
                                                      {"interleaved", RotaryPairs::interleaved}};

// x and out [B, H, T, D], cos and sin [B, T, R / 2] with R <= D: ONNX's RotaryEmbedding
// (`interleaved` is its interleaved = 1, R its rotary_embedding_dim). A table for all batches is a
// view with stride 0; [T, H * D] is a view as well. out may be x itself. Throws Error where shapes
// do not fit.
void rotary_positions(TensorView<const float, 4> x, TensorView<const float, 3> cos,
                      TensorView<const float, 3> sin, RotaryPairs pairs, TensorView<float, 4> out,
                      Parallel& parallel);

// The way back: the same turn by the opposite angle, d_x from the gradient d_out [B, H, T, D] of
// the output. d_x, which is overwritten, may be d_out itself. Throws Error as rotary_positions
// does.
void rotary_positions_backward(TensorView<const float, 4> d_out, TensorView<const float, 3> cos,
                               TensorView<const float, 3> sin, RotaryPairs pairs,
                               TensorView<float, 4> d_x, Parallel& parallel);

}  // namespace tril
