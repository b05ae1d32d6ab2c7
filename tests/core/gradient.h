// The reference for backward passes: the derivative of a plain reference, written for any scalar,
// by the complex step (Squire and Trapp 1998): f'(x) = Im f(x + ih) / h. Nothing is subtracted, so
// h can be tiny, and the derivative is exact up to the rounding of doubles.
#pragma once

#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/tensor.h>

#include <cmath>
#include <complex>
#include <vector>

namespace tril::testing {

using Complex = std::complex<double>;
inline constexpr double kRounding = 0x1p-24;  // u: half the distance from 1 to the next float

template <typename Scalar>
using Values = std::vector<Scalar>;

template <typename T, int Rank>
void append_elements(const TensorView<T, Rank>& view, Values<double>& out) {
  for (Index i = 0; i < view.size(0); ++i) {
    if constexpr (Rank == 1) {
      out.push_back(static_cast<double>(view[i]));
    } else {
      append_elements(view[i], out);
    }
  }
}

// The elements in row-major order, as doubles.
template <typename T, int Rank>
Values<double> elements(const TensorView<T, Rank>& view) {
  Values<double> out;
  append_elements(view, out);
  return out;
}
template <typename T, int Rank>
Values<double> elements(const Buffer<T, Rank>& buffer) {
  return elements(buffer.view());
}

// The gradient at x of f, a function from Complex values to a Complex. f must be analytic: no
// absolute value, and comparisons of real parts only.
template <typename Function>
Values<double> gradient_of(const Function& f, const Values<double>& x) {
  constexpr double kStep = 1e-100;
  Values<Complex> z(x.begin(), x.end());
  Values<double> gradient;
  for (std::size_t i = 0; i < x.size(); ++i) {
    z[i] = {x[i], kStep};
    gradient.push_back(f(z).imag() / kStep);
    z[i] = x[i];
  }
  return gradient;
}

// The largest distance between two computations of one number in double: each rounds like floats,
// but by 2^-53 instead of u = 2^-24; `float_bound` is the bound for floats.
inline double two_in_double(double float_bound) { return 2 * 0x1p-29 * float_bound; }

// The number of roundings of a derivative by the complex step, for each rounding of a formula of
// real numbers: a quotient of complex numbers rounds up to six times, and a sum of `outputs`
// products with d_out as often as it has terms. With the formula's own: a bound for floats, in
// units of u = 2^-24, times 2^-29 of this is one for both in double.
inline double complex_step_bound(double float_bound, std::size_t outputs) {
  return (1 + 6 + static_cast<double>(outputs)) * 0x1p-29 * float_bound;
}

// The sum of weights[i] * values[i]: a backward pass with d_out = weights computes its gradient.
template <typename Scalar>
Scalar dot(const Values<double>& weights, const Values<Scalar>& values) {
  Scalar sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

// Expects each |actual - expected| to be at most its bound.
template <typename T, int Rank, typename Bound>
void expect_within(const Values<double>& expected, const TensorView<T, Rank>& actual,
                   const Bound& bound, const char* name) {
  const Values<double> values = elements(actual);
  ASSERT_EQ(expected.size(), values.size()) << name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(std::fabs(values[i] - expected[i]), bound(i))
        << name << " at " << i << ": expected " << expected[i] << ", actual " << values[i];
  }
}
template <typename T, int Rank, typename Bound>
void expect_within(const Values<double>& expected, const Buffer<T, Rank>& actual,
                   const Bound& bound, const char* name) {
  expect_within(expected, actual.view(), bound, name);
}

}  // namespace tril::testing
