#include <tril/foundation/check.h>
#include <tril/lessons/cost.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

double quotient(double above, double below, const char* call, const char* above_name,
                const char* below_name) {
  if (!std::isfinite(above) || above < 0) {
    fail(call, above_name, {"must be finite and at least 0, is ", above});
  }
  if (!std::isfinite(below) || below <= 0) {
    fail(call, below_name, {"must be finite and more than 0, is ", below});
  }
  return above / below;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) noexcept {
  flops += other.flops;
  input_bytes += other.input_bytes;
  output_bytes += other.output_bytes;
  held_bytes = std::max(held_bytes, other.held_bytes);
  return *this;
}

double intensity(double flops, double bytes) {
  return quotient(flops, bytes, "intensity", "flops", "bytes");
}

double gigaflops(double flops, double milliseconds) {
  return quotient(flops, milliseconds, "gigaflops", "flops", "milliseconds") / 1e6;
}

double ratio(double number, double of) { return quotient(number, of, "ratio", "number", "of"); }

void detail::check_size(Index size, const char* call, const char* name) {
  if (size < 1) fail(call, name, {"must be at least 1, is ", size});
}

}  // namespace tril
