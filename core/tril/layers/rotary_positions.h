// Positions as rotations (Su et al. 2021): pair i of a query or key at position p is turned by p *
// base^(-2 i / R), so that a query times a key depends on the distance of their positions alone.
//
//   out[a_i] = cos x[a_i] - sin x[b_i]
//   out[b_i] = sin x[a_i] + cos x[b_i]      i = 0 .. R / 2 - 1
//
// The pairs are halves, (a_i, b_i) = (i, R/2 + i), or interleaved, (2 i, 2 i + 1). Elements from R
// on stay.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <cstdint>
#include <vector>

namespace tril {

// cos[n, i], sin[n, i] = those of positions[n] * base^(-2 i / R), both [N, R / 2]. Computed in
// double and rounded once. Throws Error where shapes do not fit, for a base that is not finite and
// above 0, and for a position whose fastest pair would turn by more than 2^31 radians.
void rotary_angles(VectorView<const std::int32_t> positions, double base, MatrixView<float> cos,
                   MatrixView<float> sin);

// How the angles change so that a model reads longer texts than those it was trained on.
enum class RotaryScalingKind : std::uint8_t { none, linear, dynamic, llama3, longrope };

// Their names.
inline constexpr Named<RotaryScalingKind> kRotaryScalingKinds[] = {
    {"none", RotaryScalingKind::none},
    {"linear", RotaryScalingKind::linear},
    {"dynamic", RotaryScalingKind::dynamic},
    {"llama3", RotaryScalingKind::llama3},
    {"longrope", RotaryScalingKind::longrope}};

// With w = base^(-2 i / R) radians a position, as Hugging Face's `rope_scaling` has it:
//
//   linear   w / factor (Chen et al. 2023)
//   dynamic  w of the base  base (factor n / original - (factor - 1))^(R / (R - 2)),  n = length,
//            where n is above original (bloc97 2023)
//   llama3   w / factor where a turn takes more than original / low positions, w where it takes
//            less than original / high, between them blended (Dubey et al. 2024)
//   longrope w / short_factors[i], and where length is above original  w / long_factors[i]; cosines
//            and sines are times `magnitude` (Ding et al. 2024)
struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::none;  // which of them
  double factor = 1;   // above 0; of dynamic and llama3 at least 1; not of longrope
  Index original = 0;  // tokens that the model was trained on at once; not of linear
  double low = 1;      // of llama3: turns within `original`
  double high = 4;     // above low
  Index length = 0;    // of dynamic and longrope: the tokens that there are
  std::vector<double> short_factors = {};  // of longrope: one a pair, above 0
  std::vector<double> long_factors = {};   // the same
  double magnitude = 1;                    // of longrope: above 0

  friend bool operator==(const RotaryScaling&, const RotaryScaling&) = default;
};

// The same of scaled angles. Throws Error besides where a number of the scaling is out of range.
void rotary_angles(VectorView<const std::int32_t> positions, double base,
                   const RotaryScaling& scaling, MatrixView<float> cos, MatrixView<float> sin);

// What a scaling's numbers are called where it comes from.
struct RotaryScalingNames {
  const char* factor = "scaling.factor";                // of RotaryScaling::factor
  const char* original = "scaling.original";            // of RotaryScaling::original
  const char* high = "scaling.high";                    // of RotaryScaling::high
  const char* short_factors = "scaling.short_factors";  // of RotaryScaling::short_factors
  const char* long_factors = "scaling.long_factors";    // of RotaryScaling::long_factors
  const char* magnitude = "scaling.magnitude";          // of RotaryScaling::magnitude
};

// Throws Error in the name of `call`, of a number by its name, where that is out of range, or
// factors are not as many as the pairs.
void check_rotary_scaling(const RotaryScaling& scaling, Index pairs, const char* call,
                          const RotaryScalingNames& names = {});

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
                      const Context& context = {});

// The backward pass: the same turn by the opposite angle, d_x from the gradient d_out [B, H, T, D]
// of the output. d_x, which is overwritten, may be d_out itself. Throws Error as rotary_positions
// does.
void rotary_positions_backward(TensorView<const float, 4> d_out, TensorView<const float, 3> cos,
                               TensorView<const float, 3> sin, RotaryPairs pairs,
                               TensorView<float, 4> d_x, const Context& context = {});

namespace detail {

// Radians a position, of the pair that turns fastest.
double fastest_rotary_speed(double base, const RotaryScaling& scaling, Index pairs) noexcept;

}  // namespace detail

}  // namespace tril
