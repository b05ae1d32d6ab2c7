// What is done to rows of queries, keys and scores besides softmax: one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// What online softmax remembers of a row: of the scores x seen so far, the largest, and the sum of
// e^(x - maximum).
struct OnlineState {
  float maximum;  // -infinity at the start
  float sum;      // 0 at the start
};

struct ScoreKernels {
  // x[i] = limit * tanh(x[i] / limit), limit > 0: the scores stay below it, small ones as they are.
  void (*cap)(float* x, Index count, float limit) noexcept;
  // Adds x[0, count) to what has been seen: x[i] becomes e^(x[i] - maximum) for the new maximum.
  // Returns the factor that brings what was weighted with the old maximum to the new one.
  float (*absorb)(float* x, Index count, OnlineState& state) noexcept;
  // x[i] *= factor.
  void (*scale)(float* x, Index count, float factor) noexcept;
  // out[i] = x[i] + 1 where x[i] > 0, else e^x[i]. out may be x.
  void (*elu_plus_one)(const float* x, float* out, Index count) noexcept;
  // The sum of weights[i] * tanh(q[i] + k[i]).
  float (*additive_score)(const float* q, const float* k, const float* weights,
                          Index count) noexcept;
  // One step of causal linear attention: state [depth, width] += k^T v, then out [width] = q state.
  // width is a multiple of 16.
  void (*linear_step)(const float* q, const float* k, const float* v, Index depth, Index width,
                      float* state, float* out) noexcept;
};

const ScoreKernels& score_kernels(Isa isa = best_isa());

}  // namespace tril
