// The cost of a computation, counted from its definition and sizes, not measured.
//
// Every addition, subtraction, multiplication, division, comparison and elementary function (exp,
// tanh, erf, sqrt) of floats is one flop. A sum starts at 0, so n terms are n additions. Sign
// changes, copies, masking, and work of kernels beyond the definition, such as packing and padding
// of registers, are not counted.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// A cost. Its numbers are doubles, which are exact far beyond the range of a 32-bit Index.
struct Cost {
  double flops = 0;         // floating-point operations
  double input_bytes = 0;   // 4 for each input number, weights included
  double output_bytes = 0;  // 4 for each output number
  // Maximum intermediate memory of one thread: 4 for each number that is neither input nor output.
  // Packed copies are not counted.
  double held_bytes = 0;

  // The minimum memory traffic: every input read once and every output written once.
  double bytes() const noexcept { return input_bytes + output_bytes; }

  // Adds the cost of a computation that runs after this one; held_bytes becomes the maximum.
  Cost& operator+=(const Cost& other) noexcept;
};

// Flops a byte. Throws Error for numbers that are not finite, below 0, or no bytes.
double intensity(double flops, double bytes);

// The speed in 10^9 flops a second. Throws Error as intensity does.
double gigaflops(double flops, double milliseconds);

// The ratio of two measured numbers: a speed-up, or a share of the peak. Throws Error as intensity
// does.
double ratio(double number, double of);

namespace detail {

inline constexpr double kFloatBytes = 4;

// Throws Error in the name of `call` for a size below 1.
void check_size(Index size, const char* call, const char* name);

}  // namespace detail
}  // namespace tril
