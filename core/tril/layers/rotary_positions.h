// Positions as rotations (Su et al. 2021): pair i of a query or key at position p is rotated by the
// angle p * base^(-2 i / R), so that the product of a query and a key depends only on the distance
// of their positions.
//
//   out[a_i] = cos x[a_i] - sin x[b_i]
//   out[b_i] = sin x[a_i] + cos x[b_i]      i = 0 .. R / 2 - 1
//
// The pairs are halves, (a_i, b_i) = (i, R/2 + i), or interleaved, (2 i, 2 i + 1). Elements from R
// on do not change.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <cstdint>
#include <vector>

namespace tril {

// cos[n, i] and sin[n, i], both [N, R / 2], are those of the angle positions[n] * base^(-2 i / R),
// computed in double and rounded once. Throws Error where shapes do not fit, for a base that is not
// finite and above 0, and for a position whose largest angle is above 2^31 radians.
void rotary_angles(VectorView<const std::int32_t> positions, double base, MatrixView<float> cos,
                   MatrixView<float> sin);

// The ways to scale angles so that a model can read longer texts than it was trained on.
enum class RotaryScalingKind : std::uint8_t { none, linear, dynamic, llama3, longrope };

// Their names.
inline constexpr Named<RotaryScalingKind> kRotaryScalingKinds[] = {
    {"none", RotaryScalingKind::none},
    {"linear", RotaryScalingKind::linear},
    {"dynamic", RotaryScalingKind::dynamic},
    {"llama3", RotaryScalingKind::llama3},
    {"longrope", RotaryScalingKind::longrope}};

// The scaling of w = base^(-2 i / R), the radians of a position, as in Hugging Face's
// `rope_scaling`:
//
//   linear   w / factor (Chen et al. 2023)
//   dynamic  w of the base  base (factor n / original - (factor - 1))^(R / (R - 2)),  n = length,
//            where n is above original (bloc97 2023)
//   llama3   w / factor where a turn takes more than original / low positions, w where it takes
//            less than original / high, between them blended (Dubey et al. 2024)
//   longrope w / short_factors[i], and where length is above original  w / long_factors[i]; cosines
//            and sines are times `magnitude` (Ding et al. 2024)
struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::none;  // the kind of scaling
  double factor = 1;   // above 0; at least 1 for dynamic and llama3; not used by longrope
  Index original = 0;  // context that the model was trained with; not used by linear
  double low = 1;      // for llama3: turns within `original`
  double high = 4;     // above low
  Index length = 0;    // for dynamic and longrope: the number of tokens
  std::vector<double> short_factors = {};  // for longrope: one per pair, above 0
  std::vector<double> long_factors = {};   // the same
  double magnitude = 1;                    // for longrope: above 0

  friend bool operator==(const RotaryScaling&, const RotaryScaling&) = default;
};

// The same for scaled angles. Throws Error also where a number of the scaling is out of range.
void rotary_angles(VectorView<const std::int32_t> positions, double base,
                   const RotaryScaling& scaling, MatrixView<float> cos, MatrixView<float> sin);

// The names of a scaling's numbers in the caller's settings.
struct RotaryScalingNames {
  const char* factor = "scaling.factor";                // of RotaryScaling::factor
  const char* original = "scaling.original";            // of RotaryScaling::original
  const char* high = "scaling.high";                    // of RotaryScaling::high
  const char* short_factors = "scaling.short_factors";  // of RotaryScaling::short_factors
  const char* long_factors = "scaling.long_factors";    // of RotaryScaling::long_factors
  const char* magnitude = "scaling.magnitude";          // of RotaryScaling::magnitude
};

// Throws Error in the name of `call`, naming the number, where a number is out of range or the
// factors are not one per pair.
void check_rotary_scaling(const RotaryScaling& scaling, Index pairs, const char* call,
                          const RotaryScalingNames& names = {});

// The elements that form a pair.
enum class RotaryPairs { halves, interleaved };

// Their names.
inline constexpr Named<RotaryPairs> kRotaryPairs[] = {{"halves", RotaryPairs::halves},
                                                      {"interleaved", RotaryPairs::interleaved}};

// x and out [B, H, T, D], cos and sin [B, T, R / 2] with R <= D: ONNX's RotaryEmbedding
// (`interleaved` is its interleaved = 1, R its rotary_embedding_dim). A view with stride 0 gives
// all batches the same table; [T, H * D] can be viewed as x, too. out may be x itself. Throws Error
// where shapes do not fit.
void rotary_positions(TensorView<const float, 4> x, TensorView<const float, 3> cos,
                      TensorView<const float, 3> sin, RotaryPairs pairs, TensorView<float, 4> out,
                      const Context& context = {});

// The backward pass: rotates the gradient d_out [B, H, T, D] of the output by the opposite angle.
// d_x is overwritten, and may be d_out itself. Throws Error as rotary_positions does.
void rotary_positions_backward(TensorView<const float, 4> d_out, TensorView<const float, 3> cos,
                               TensorView<const float, 3> sin, RotaryPairs pairs,
                               TensorView<float, 4> d_x, const Context& context = {});

namespace detail {

// The radians per position of the fastest pair.
double fastest_rotary_speed(double base, const RotaryScaling& scaling, Index pairs) noexcept;

}  // namespace detail

}  // namespace tril
