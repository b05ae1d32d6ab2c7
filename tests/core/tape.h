// The effect of rounding to floats on a result, to first order, and gradients by reverse mode: both
// for a reference that is written for any scalar.
//
// A Rounded number is a double on a tape. Each operation records its slopes, and its own rounding
// error as in bounded.h. A backward sweep from a result gives the result's slope by every
// intermediate result, and the sum of |slope| times its rounding error bounds the result's error
// (Linnainmaa 1976). Running error analysis takes absolute values at every step: through the layers
// of a model its bounds explode. The sum is doubled, for terms of second order and for numbers that
// a backward pass in floats computes again, such as attention weights.
//
// Tracked<Rounded> numbers are on a tape of their own, and the sweep that gives their gradients is
// itself made of Rounded operations. So gradients have bounds as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "core/multi_head_gradient_reference.h"

namespace tril::testing {

using std::exp, std::log, std::sqrt, std::tanh;

template <typename Number>
class Tape;

// An input of a result, and the result's slope by it.
template <typename Number>
struct Operand {
  std::int32_t node;
  Number slope;
};

template <typename Number>
struct Tracked {
  using Operands = std::initializer_list<Operand<Number>>;
  Number value = 0;
  std::int32_t node = -1;  // on the tape; constants are on none

  Tracked() = default;
  Tracked(double constant) : value(constant) {}
  Tracked(const Number& number, std::int32_t at) : value(number), node(at) {}

  // A result with an error of kRounding * `size`.
  static Tracked off_by(double size, const Number& value, Operands operands) {
    return Tape<Number>::current->note(value, size, operands);
  }
  // A result that is rounded `times` times.
  static Tracked rounded(const Number& value, Operands operands, double times = 1) {
    return off_by(times * std::fabs(real_part(value)), value, operands);
  }

  friend double real_part(const Tracked& x) { return real_part(x.value); }

  friend Tracked operator+(const Tracked& a, const Tracked& b) {
    return rounded(a.value + b.value, {{a.node, 1.0}, {b.node, 1.0}});
  }
  friend Tracked operator-(const Tracked& a, const Tracked& b) {
    return rounded(a.value - b.value, {{a.node, 1.0}, {b.node, -1.0}});
  }
  Tracked operator-() const { return off_by(0, -value, {{node, -1.0}}); }
  // Factors of 1 and -1, as in the slopes of sums, round nothing.
  friend Tracked operator*(const Tracked& a, const Tracked& b) {
    if (a.node < 0 && std::fabs(real_part(a)) == 1) return real_part(a) == 1 ? b : -b;
    if (b.node < 0 && std::fabs(real_part(b)) == 1) return real_part(b) == 1 ? a : -a;
    return rounded(a.value * b.value, {{a.node, b.value}, {b.node, a.value}});
  }
  friend Tracked operator/(const Tracked& a, const Tracked& b) {
    const Number quotient = a.value / b.value;
    return rounded(quotient, {{a.node, Number(1.0) / b.value}, {b.node, -quotient / b.value}});
  }
  Tracked& operator+=(const Tracked& other) { return *this = *this + other; }

  friend Tracked exp(const Tracked& x) {
    const Number power = exp(x.value);
    return rounded(power, {{x.node, power}}, 2);
  }
  friend Tracked log(const Tracked& x) {
    return rounded(log(x.value), {{x.node, Number(1.0) / x.value}}, 2);
  }
  friend Tracked sqrt(const Tracked& x) {
    const Number root = sqrt(x.value);
    return rounded(root, {{x.node, Number(0.5) / root}});
  }
  friend Tracked tanh(const Tracked& x) {
    const Number value = tanh(x.value);
    return rounded(value, {{x.node, Number(1.0) - value * value}}, 6);
  }
};
using Rounded = Tracked<double>;

// The operations in order. While a tape lives, all its Tracked numbers are recorded on it.
template <typename Number>
class Tape {
 public:
  inline static Tape* current = nullptr;

  Tape() { current = this; }
  ~Tape() { current = nullptr; }

  Tracked<Number> note(const Number& value, double size,
                       std::span<const Operand<Number>> operands) {
    for (const auto& each : operands) {
      if (each.node >= 0) operands_.push_back(each);
    }
    begins_.push_back(operands_.size());
    sizes_.push_back(size);
    return {value, static_cast<std::int32_t>(sizes_.size()) - 1};
  }

  // The slopes of `result` by all numbers in these tables, which become variables before it is
  // computed.
  template <typename Tables, typename Result>
  std::vector<Values<Number>> gradients(const Tables& tables, const Result& result) {
    for (auto* table : tables) {
      for (auto& each : table->values) each = note(each.value, 0, {});
    }
    const Tracked<Number> last = result();
    std::vector<Sum<Number>> sums(sizes_.size());
    Values<Number> slopes(sizes_.size());
    sums[index(last.node)].add(1.0);
    for (std::size_t n = sizes_.size(); n-- > 0;) {
      slopes[n] = sums[n].value();
      for (const auto& each : operands(n)) sums[index(each.node)].add(slopes[n] * each.slope);
    }
    std::vector<Values<Number>> all;
    for (const auto* table : tables) {
      all.emplace_back();
      for (const auto& each : table->values) all.back().push_back(slopes[index(each.node)]);
    }
    return all;
  }

  // These results with the bounds of floats. Each sweep computes 32; slopes as floats are exact
  // enough for bounds.
  Values<Bounded> bounded(const Values<Tracked<double>>& results) const {
    constexpr std::size_t kLanes = 32;
    using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;
    using Bits [[gnu::vector_size(kLanes * sizeof(float))]] = std::int32_t;
    Values<Bounded> all;
    std::vector<Lanes> slopes(sizes_.size());  // zeros at the end of every sweep, too
    for (std::size_t first = 0; first < results.size(); first += kLanes) {
      const auto part = std::span(results).subspan(first, std::min(results.size() - first, kLanes));
      std::size_t end = 0;
      for (std::size_t l = 0; l < part.size(); ++l) {
        if (part[l].node < 0) continue;
        slopes[index(part[l].node)][l] = 1;
        end = std::max(end, index(part[l].node) + 1);
      }
      Lanes sums = {};
      for (std::size_t n = end; n-- > 0;) {
        const Lanes slope = std::exchange(slopes[n], Lanes{});
        const auto magnitude = reinterpret_cast<Lanes>(reinterpret_cast<Bits>(slope) & 0x7fffffff);
        sums += magnitude * static_cast<float>(sizes_[n]);
        for (const auto& each : operands(n)) {
          slopes[index(each.node)] += slope * static_cast<float>(each.slope);
        }
      }
      for (std::size_t l = 0; l < part.size(); ++l) {
        all.emplace_back(part[l].value, 2 * kRounding * static_cast<double>(sums[l]));
      }
    }
    return all;
  }

 private:
  static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }
  std::span<const Operand<Number>> operands(std::size_t n) const {
    return {operands_.data() + begins_[n], operands_.data() + begins_[n + 1]};
  }

  std::vector<Operand<Number>> operands_;
  std::vector<std::size_t> begins_ = {0};  // the first operand of each result
  std::vector<double> sizes_;              // the error of each result, in kRounding
};

template <typename Number>
class Sum<Tracked<Number>> {
 public:
  void add(const Tracked<Number>& term) {
    sum_.add(term.value);
    sizes_ += std::fabs(real_part(term)), ++count_;
    terms_.push_back({term.node, 1.0});
  }
  Tracked<Number> value() const {
    if (terms_.size() <= 1) return {sum_.value(), terms_.empty() ? -1 : terms_[0].node};
    return Tape<Number>::current->note(sum_.value(), count_ * sizes_, terms_);
  }

 private:
  Sum<Number> sum_;
  double sizes_ = 0, count_ = 0;
  std::vector<Operand<Number>> terms_;
};

inline double activation_slope(Activation f, double x) { return slope_reference(f, x); }
inline Rounded activation_slope(Activation f, const Rounded& x) {
  constexpr double h = 1e-4;  // for a central difference, whose error is its square
  const double rise = slope_reference(f, x.value + h) - slope_reference(f, x.value - h);
  return Rounded::off_by(slope_bound(f, x.value), slope_reference(f, x.value),
                         {{x.node, rise / (2 * h)}});
}
template <typename Number>
Tracked<Number> activation_reference(Activation f, const Tracked<Number>& x) {
  return Tracked<Number>::off_by(activation_bound(f, real_part(x)),
                                 activation_reference(f, x.value),
                                 {{x.node, activation_slope(f, x.value)}});
}

template <>
inline Rounded rounded_constant<Rounded>(double value) {
  return Rounded::off_by(rounded_constant<Bounded>(value).error / kRounding, value, {});
}
template <>
inline Tracked<Rounded> rounded_constant<Tracked<Rounded>>(double value) {
  return {rounded_constant<Rounded>(value), -1};
}

}  // namespace tril::testing
