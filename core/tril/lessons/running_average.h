// The running average, out[b, t] = mean of x[b, 0 .. t], computed in three ways that agree within
// rounding.
//
//     loops    for every t, add up x[b, 0 .. t] and divide
//     matrix   weights = a lower triangle of ones, each row divided by its sum; out[b] = weights
//     x[b] softmax  weights = softmax of a mask, 0 below and on the diagonal, `hidden` above it
//
// The third is causal attention whose scores are all 0. For teaching, not for speed.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <limits>

namespace tril {

// The three ways.
enum class AverageMethod { loops, matrix, softmax };

// Their names.
inline constexpr Named<AverageMethod> kAverageMethods[] = {{"loops", AverageMethod::loops},
                                                           {"matrix", AverageMethod::matrix},
                                                           {"softmax", AverageMethod::softmax}};

// Options of running_average().
struct RunningAverageOptions {
  AverageMethod method = AverageMethod::loops;  // results differ only in rounding
  // Computes sums instead of averages: weights are not divided. Not for softmax, whose rows always
  // sum to 1.
  bool sum = false;
  // The value of softmax's mask above the diagonal. Any value but -inf shows the future.
  float hidden = -std::numeric_limits<float>::infinity();
};

// Views [T, T] to fill; no view: not traced. The way `loops` has no weights and accepts no views.
struct RunningAverageTrace {
  MatrixView<float> mask;     // the weights' source: ones below the diagonal, or the mask
  MatrixView<float> weights;  // row t has the weights of all moments in average t
};

// x and out [B, T, C], T at most 2^15. Throws Error where shapes do not fit, out shares memory with
// another view, for a sum by softmax, and for a `hidden` that is NaN or +inf.
void running_average(TensorView<const float, 3> x, const RunningAverageOptions& options,
                     TensorView<float, 3> out, const Context& context = {},
                     const RunningAverageTrace& trace = {});

}  // namespace tril
