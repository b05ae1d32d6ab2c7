// Numbers of float arithmetic: the exact value of a formula, and the largest distance of the
// computed number from it by rounding, propagated operation by operation (running error analysis,
// Higham 2002, section 3.3). A reference written for any scalar, evaluated with these numbers,
// gives its values and the bounds for floats that are compared with them.
#pragma once

#include <tril/foundation/random.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/activation_reference.h"
#include "core/gradient.h"

namespace tril::testing {

struct Bounded {
  double value = 0, error = 0;

  Bounded() = default;
  Bounded(double exact) : value(exact) {}
  Bounded(double exact, double bound) : value(exact), error(bound) {}

  double size() const { return std::fabs(value) + error; }  // the largest computed magnitude

  // A result with an error of `error` that is then rounded `times` times.
  static Bounded rounded(double value, double error, double times = 1) {
    return {value, error + times * kRounding * (std::fabs(value) + error)};
  }

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    return rounded(a.value + b.value, a.error + b.error);
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) {
    return rounded(a.value - b.value, a.error + b.error);
  }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    return rounded(a.value * b.value,
                   std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
  }
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    const double quotient = a.value / b.value;
    return rounded(quotient,
                   (a.error + std::fabs(quotient) * b.error) / (std::fabs(b.value) - b.error));
  }
  Bounded operator-() const { return {-value, error}; }
  Bounded& operator+=(const Bounded& other) { return *this = *this + other; }
};

// The exponentials of the kernels are within one ulp, two roundings; below 2^-126 they are 0.
inline Bounded exp(const Bounded& x) {
  const double value = std::exp(x.value);
  return Bounded::rounded(value, value * std::expm1(x.error) + 0x1p-126, 2);
}
inline Bounded log(const Bounded& x) {
  return Bounded::rounded(std::log(x.value), x.error / (x.value - x.error), 2);
}
inline Bounded sqrt(const Bounded& x) {
  const double value = std::sqrt(x.value);
  return Bounded::rounded(value, x.error / value);
}
// Slopes are at most 1, and the kernels' hyperbolic tangent is within three ulp.
inline Bounded tanh(const Bounded& x) { return Bounded::rounded(std::tanh(x.value), x.error, 6); }

// f(x): its slopes are at most 1.2.
inline Bounded activation_reference(Activation activation, const Bounded& x) {
  const double slack = 1.2 * x.error;
  return {activation_reference(activation, x.value),
          slack + kRounding * (activation_bound(activation, x.value) + slack)};
}
// f'(x): its slopes are at most 1, except for relu's, which jumps.
inline Bounded activation_slope(Activation activation, const Bounded& x) {
  if (activation == Activation::relu) {
    return {x.value > 0 ? 1.0 : 0.0, std::fabs(x.value) <= x.error ? 1.0 : 0.0};
  }
  return {slope_reference(activation, x.value),
          x.error + kRounding * (slope_bound(activation, x.value) + x.error)};
}

// A sum of floats in any order: n terms round n times, each partial sum being at most the sum of
// all magnitudes.
template <typename Scalar>
class Sum {
 public:
  void add(const Scalar& term) { total_ += term; }
  Scalar value() const { return total_; }

 private:
  Scalar total_ = 0;
};
template <>
class Sum<Bounded> {
 public:
  void add(const Bounded& term) {
    value_ += term.value;
    error_ += term.error;
    sizes_ += term.size();
    ++count_;
  }
  Bounded value() const {
    const double rounding = kRounding * count_ / (1 - kRounding * count_);
    return {value_, error_ + rounding * sizes_};
  }

 private:
  double value_ = 0, error_ = 0, sizes_ = 0, count_ = 0;
};

// Checks the gradient of part.values from a reference's own formulas against the complex step:
// output() computes from them the result to which d_out belongs.
template <typename Part, typename Output>
void expect_complex_step(Part& part, const Values<Bounded>& expected, const Values<double>& d_out,
                         const Output& output) {
  const Values<Complex> kept = part.values;
  Values<double> start;
  for (const Complex& each : kept) start.push_back(each.real());
  const Values<double> gradient = gradient_of(
      [&](const Values<Complex>& z) {
        part.values = z;
        return dot(d_out, output());
      },
      start);
  part.values = kept;
  ASSERT_EQ(gradient.size(), expected.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    ASSERT_NEAR(expected[i].value, gradient[i], complex_step_bound(expected[i].error, d_out.size()))
        << i;
  }
}

// The same for a function of `values`, along random directions that involve every element: one
// wrong slope shows, and the function is evaluated once per direction instead of once per element.
template <typename Function>
void expect_complex_step_along(Values<Complex>& values, const Values<Bounded>& expected,
                               const Function& function, const std::string& name) {
  constexpr double kStep = 1e-100;
  ASSERT_EQ(values.size(), expected.size()) << name;
  const Values<Complex> kept = values;
  Random random(values.size());
  for (int direction = 0; direction < 2; ++direction) {
    double slope = 0, bound = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double along = 1 + random.uniform();
      slope += along * expected[i].value;
      bound += along * complex_step_bound(expected[i].error, 1);
      values[i] = {kept[i].real(), along * kStep};
    }
    const double found = function().imag() / kStep;
    values = kept;
    ASSERT_NEAR(slope, found, bound) << name;
  }
}

// Expects each element of `actual` within its bound; and the bounds themselves to be small: on
// average at most `looseness` times the average magnitude and 1.
inline void expect_bounded(const Values<Bounded>& expected, const Values<double>& values,
                           const char* name, double looseness = 1e-3) {
  ASSERT_EQ(expected.size(), values.size()) << name;
  double errors = 0, sizes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(std::fabs(values[i] - expected[i].value), expected[i].error)
        << name << " at " << i << ": expected " << expected[i].value << ", actual " << values[i];
    errors += expected[i].error;
    sizes += std::fabs(expected[i].value);
  }
  EXPECT_LE(errors, looseness * (sizes + static_cast<double>(values.size())))
      << name << ": the bound says nothing";
}
template <typename T, int Rank>
void expect_bounded(const Values<Bounded>& expected, const TensorView<T, Rank>& actual,
                    const char* name, double looseness = 1e-3) {
  expect_bounded(expected, elements(actual), name, looseness);
}

}  // namespace tril::testing
