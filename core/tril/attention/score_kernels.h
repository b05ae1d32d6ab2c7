// What is done to rows of queries, keys and scores besides softmax: one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

// What online softmax remembers of a row: of the scores x seen so far, the largest, and the sum of
// e^(x - maximum).
struct SoftmaxState {
  float maximum;  // -infinity at the start
  float sum;      // 0 at the start
};

// The logarithm of the sum of e^x over all scores x of a row: its weights are e^(x - log_sum_exp).
// +infinity where there are none, so that a backward, which forms the weights anew, gets 0 for all
// keys that the mask hides. NaN where a score was.
float log_sum_exp(const SoftmaxState& state) noexcept;

struct ScoreKernels {
  // out[i] = limit * tanh(x[i] / limit), limit > 0: the scores stay below it, small ones as they
  // are. out may be x.
  void (*cap)(const float* x, float* out, Index count, float limit) noexcept;
  // Goes on to x[0, count): out[i] = e^(x[i] - maximum) for the new maximum, and the sum of those
  // is added. Returns the factor that brings what was weighted with the old maximum to the new one.
  // out may be x.
  float (*online_softmax)(const float* x, float* out, Index count, SoftmaxState& state) noexcept;
  // out[i] = factor * x[i]. out may be x.
  void (*scale)(const float* x, float* out, Index count, float factor) noexcept;
  // out[i] = x[i] + 1 where x[i] > 0, else e^x[i]. out may be x.
  void (*elu_plus_one)(const float* x, float* out, Index count) noexcept;
  // The sum of weights[i] * tanh(q[i] + k[i]).
  float (*additive_score)(const float* q, const float* k, const float* weights,
                          Index count) noexcept;
  // One step of causal linear attention: state [depth, width] += k^T v, then out [width] = q state.
  // width is a multiple of 16.
  void (*linear_step)(const float* q, const float* k, const float* v, Index depth, Index width,
                      float* state, float* out) noexcept;
  // out[j] = scale * q . keys[j] for keys [count, depth], whose rows lie `stride` floats apart: one
  // query, keys where they lie. Each of them rounds alike, whichever stand beside it.
  void (*dot_keys)(const float* q, const float* keys, Index stride, Index depth, Index count,
                   float scale, float* out) noexcept;
  // out [width] += weights [count] times values [count, width], the rows `stride` floats apart. A
  // weight of 0 hides its values, even NaN and infinity.
  void (*add_values)(const float* weights, const float* values, Index stride, Index count,
                     Index width, float* out) noexcept;
};

const ScoreKernels& score_kernels(Isa isa = best_isa());

}  // namespace tril
