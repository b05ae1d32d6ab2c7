// The activations and their slopes in double, and the error bounds of their kernels, for the tests
// of activations and of layers.
//
// The bounds follow the kernels step by step (elementwise_kernels.cc). With u = 2^-24, one
// rounding, each result is max(x, 0) - a tail(a): the subtraction rounds |f| once, and a tail(a)
// carries
//   silu        exp 2u, and u each for 1 + e, the division and the product: 5u
//   gelu_tanh   these 5u, and 5 roundings of products and constants in the exponent z: 5u z
//   gelu        exp 2u, its exponent u a^2 / 2, the fit of r 0.7u, r t with the steps of Horner's
//               scheme 5u, two products 2u: 10u and u a^2 / 2
// Each slope is g or 1 - g, rounded once, |g| <= tail + |tail's slope| a, and g carries
//   silu        with tail t off by 4u: t (1 - a (1 - t)), where 1 - t is off by 5u and
//               a (1 - t) by 6u: t (6 + 12 a)
//   gelu_tanh   with t off by (4 + 5z)u, 1 - t by (5 + 5z)u, z' by 4u: t (11 + 5z) (1 + 2 a z')
//   gelu        with the density's 2u + u a^2 / 2, r t's 6u, a / sqrt(2 pi)'s 2u and two roundings:
//               (10 + a^2 / 2) density (r t + a / sqrt(2 pi))
#pragma once

#include <tril/layers/activations.h>

#include <cmath>
#include <numbers>

#include "core/gradient.h"

namespace tril::testing {

// The normal distribution function; its derivative for the complex step is the density.
inline double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline Complex normal_distribution(const Complex& x) {
  const double density = std::exp(-x.real() * x.real() / 2) / std::sqrt(2 * std::numbers::pi);
  return {normal_distribution(x.real()), x.imag() * density};
}

template <typename Scalar>
Scalar activation_reference(Activation activation, const Scalar& x) {
  switch (activation) {
    case Activation::relu:
      return std::real(x) > 0 ? x : Scalar(0);
    case Activation::gelu:
      return x * normal_distribution(x);
    case Activation::gelu_tanh:  // 1 + tanh loses the left tail even in double
      return x /
             (1.0 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1.0 + std::exp(-x));
  }
  return x;
}

inline double slope_reference(Activation activation, double x) {
  constexpr double kStep = 1e-100;
  return activation_reference(activation, Complex(x, kStep)).imag() / kStep;
}

namespace detail {
inline double tail(Activation activation, double a) {
  return a == 0 ? 0.5 : -activation_reference(activation, -a) / a;
}
inline double tanh_exponent(double a) {
  return 2 * std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a);
}
inline double tanh_slope(double a) {
  return 2 * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * a * a);
}
}  // namespace detail

// The error bound of f(x), in roundings.
inline double activation_bound(Activation activation, double x) {
  const double a = std::fabs(x), value = std::fabs(activation_reference(activation, x));
  const double other = std::fabs(activation_reference(activation, -a));
  switch (activation) {
    case Activation::relu:
      return 0;
    case Activation::gelu:
      return value + (10 + a * a / 2) * other;
    case Activation::gelu_tanh:
      return value + (5 + 5 * detail::tanh_exponent(a)) * other;
    case Activation::silu:
      return value + 5 * other;
  }
  return 0;
}

// The error bound of f'(x), in roundings.
inline double slope_bound(Activation activation, double x) {
  const double a = std::fabs(x), slope = std::fabs(slope_reference(activation, x));
  const double t = detail::tail(activation, a);
  switch (activation) {
    case Activation::relu:
      return 0;
    case Activation::gelu:
      return slope +
             (10 + a * a / 2) * (t + a * std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi));
    case Activation::gelu_tanh:
      return slope + t * (11 + 5 * detail::tanh_exponent(a)) * (1 + 2 * a * detail::tanh_slope(a));
    case Activation::silu:
      return slope + t * (6 + 12 * a);
  }
  return 0;
}

}  // namespace tril::testing
