// What a computation costs, counted from its definition and its sizes, not measured.
//
// Flops: every addition, subtraction, multiplication, division, comparison and elementary function
// (exp, tanh, erf, sqrt) of floats is 1. A sum starts at 0, so n terms are n additions. Not
// counted: sign changes, copies, hiding by a mask, and what kernels do besides the definition, such
// as packing and lanes that only fill a register.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// Doubles, which are exact far beyond the range of a 32-bit Index.
struct Cost {
  double flops = 0;         // floating-point operations
  double input_bytes = 0;   // 4 for each number that is given, weights included
  double output_bytes = 0;  // 4 for each number that is asked for
  // The most that is held at once on the way, by one thread: 4 for each number that is neither
  // given nor asked for. Packed copies are not counted.
  double held_bytes = 0;

  // What must go through memory at least: everything read once and written once.
  double bytes() const noexcept { return input_bytes + output_bytes; }

  // Of one computation after another: what is held at once is held by one of them.
  Cost& operator+=(const Cost& other) noexcept;
};

// Flops a byte. Throws Error for numbers that are not finite, below 0, or no bytes.
double intensity(double flops, double bytes);

// 10^9 flops a second, if they take so long. Throws Error as intensity does.
double gigaflops(double flops, double milliseconds);

// One measured number over another of its kind: times as fast, a share of the peak. Throws Error
// as intensity does.
double ratio(double number, double of);

namespace detail {

inline constexpr double kFloatBytes = 4;

// Throws Error in the name of `call` for a size below 1.
void check_size(Index size, const char* call, const char* name);

}  // namespace detail
}  // namespace tril
