// Kernels over rows of queries, keys and scores, besides softmax; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The state of a row in online softmax: the maximum of the scores x so far, and the sum of e^(x -
// maximum).
struct SoftmaxState {
  float maximum;  // -infinity at the start
  float sum;      // 0 at the start
};

// The logarithm of the sum of e^x over all scores x of a row; its weights are e^(x - log_sum_exp).
// It is +infinity where there are no scores, so that a backward pass, which recomputes the weights,
// gets 0 for all hidden keys. NaN where a score is NaN.
float log_sum_exp(const SoftmaxState& state) noexcept;

struct ScoreKernels {
  // out[i] = limit * tanh(x[i] / limit), limit > 0: scores stay below the limit, and small ones
  // hardly change. out may be x.
  void (*cap)(const float* x, float* out, Index count, float limit) noexcept;
  // Processes the next scores x[0, count): out[i] = e^(x[i] - maximum) with the new maximum, and
  // state.sum grows by their sum. Returns the factor that rescales earlier results from the old
  // maximum to the new one. out may be x.
  float (*online_softmax)(const float* x, float* out, Index count, SoftmaxState& state) noexcept;
  // out[i] = factor * x[i]. out may be x.
  void (*scale)(const float* x, float* out, Index count, float factor) noexcept;
  // out[i] = x[i] + 1 where x[i] > 0, else e^x[i]. out may be x.
  void (*elu_plus_one)(const float* x, float* out, Index count) noexcept;
  // Returns the sum of weights[i] * tanh(q[i] + k[i]).
  float (*additive_score)(const float* q, const float* k, const float* weights,
                          Index count) noexcept;
  // One step of causal linear attention: state [depth, width] += k^T v, then out [width] = q state.
  // width is a multiple of 16.
  void (*linear_step)(const float* q, const float* k, const float* v, Index depth, Index width,
                      float* state, float* out) noexcept;
  // out[j] = scale * q . keys[j] for one query and keys [count, depth], read in place, whose rows
  // are `stride` floats apart. A result does not depend on the neighbouring keys.
  void (*dot_keys)(const float* q, const float* keys, Index stride, Index depth, Index count,
                   float scale, float* out) noexcept;
  // out [width] += weights [count] times values [count, width], whose rows are `stride` floats
  // apart. A weight of 0 hides its values, even NaN and infinity.
  void (*add_values)(const float* weights, const float* values, Index stride, Index count,
                     Index width, float* out) noexcept;
};

const ScoreKernels& score_kernels(Isa isa = best_isa());

}  // namespace tril
