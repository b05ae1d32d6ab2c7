// The average of everything up to now, for every moment: out[b, t] = mean of x[b, 0 .. t], computed
// in three ways that agree within rounding.
//
//     loops    for every t, add up x[b, 0 .. t] and divide
//     matrix   weights = a lower triangle of ones, each row divided by its sum; out[b] = weights
//     x[b] softmax  weights = softmax of a mask, 0 below and on the diagonal, `hidden` above it
//
// The third is causal attention whose scores are all 0. For looking at, not for speed.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <limits>

namespace tril {

// Three ways to one result.
enum class AverageMethod { loops, matrix, softmax };

// Their names.
inline constexpr Named<AverageMethod> kAverageMethods[] = {{"loops", AverageMethod::loops},
                                                           {"matrix", AverageMethod::matrix},
                                                           {"softmax", AverageMethod::softmax}};

// By which way, and what is averaged.
struct RunningAverageOptions {
  AverageMethod method = AverageMethod::loops;  // the same result but for rounding
  // Sums in place of averages: the weights are not divided. Not by softmax, whose rows always sum
  // to 1.
  bool sum = false;
  // What softmax's mask holds above the diagonal. Anything but -inf lets the future in.
  float hidden = -std::numeric_limits<float>::infinity();
};

// Views to fill, [T, T]; none: not wanted. By loops there is nothing to fill, and they must be
// none.
struct RunningAverageTrace {
  MatrixView<float> mask;     // what the weights are made of: ones below the diagonal, or the mask
  MatrixView<float> weights;  // each row what one moment takes of every other
};

// x and out [B, T, C], T at most 2^15. Throws Error where shapes do not fit, out shares memory with
// another view, for a sum by softmax, and for a `hidden` that is NaN or +inf.
void running_average(TensorView<const float, 3> x, const RunningAverageOptions& options,
                     TensorView<float, 3> out, const Context& context = {},
                     const RunningAverageTrace& trace = {});

}  // namespace tril
