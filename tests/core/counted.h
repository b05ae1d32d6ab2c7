// A number that counts its operations: the oracle for costs. Loops are written with it straight
// from the definitions.
#pragma once

#include <cmath>

namespace tril::testing {

struct Counted {
  double value = 0;
  static inline double flops = 0;

  Counted() = default;
  Counted(double number) : value(number) {}

  friend Counted operator+(Counted a, Counted b) { return counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return counted(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return counted(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return counted(a.value / b.value); }
  friend bool operator<(Counted a, Counted b) { return counted(a.value).value < b.value; }

  static Counted counted(double result) {
    ++flops;
    return result;
  }
};

inline Counted exp(Counted x) { return Counted::counted(std::exp(x.value)); }
inline Counted log(Counted x) { return Counted::counted(std::log(x.value)); }
inline Counted tanh(Counted x) { return Counted::counted(std::tanh(x.value)); }
inline Counted erf(Counted x) { return Counted::counted(std::erf(x.value)); }
inline Counted sqrt(Counted x) { return Counted::counted(std::sqrt(x.value)); }

// The number of flops in `body`.
template <typename Body>
double flops_of(const Body& body) {
  Counted::flops = 0;
  body();
  return Counted::flops;
}

}  // namespace tril::testing
