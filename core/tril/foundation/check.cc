#include <tril/foundation/check.h>

#include <cmath>
#include <limits>

namespace tril {

std::string shape_text(const Index* shape, int rank) {
  std::string text = "[";
  for (int axis = 0; axis < rank; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

void fail(std::string_view call, std::string_view argument, const std::string& problem) {
  throw Error(call, argument, problem);
}

// value = digits * 10^(exponent - 5), six digits rounded to nearest;  as printf("%g")
std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  std::string text;
  if (std::signbit(value)) text.push_back('-');
  double size = std::fabs(value);
  if (std::isinf(size)) return text.append("inf");
  if (size == 0) return text.append("0");
  int exponent = 5;
  for (; size >= 999999.5; size /= 10) ++exponent;
  for (; size < 99999.95; size *= 10) --exponent;
  std::string digits = std::to_string(static_cast<int>(size + 0.5));
  digits.erase(digits.find_last_not_of('0') + 1);
  const bool scientific = exponent < -4 || exponent > 5;
  // So many digits are in front of the point; below 1, zeros come first.
  const int whole = scientific ? 1 : exponent + 1, count = static_cast<int>(digits.size());
  if (whole <= 0) text.append("0.").append(static_cast<std::size_t>(-whole), '0');
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i == whole) text.push_back('.');
    text.push_back(digits[static_cast<std::size_t>(i)]);
  }
  for (int i = count; i < whole; ++i) text.push_back('0');
  if (!scientific) return text;
  const int power = exponent < 0 ? -exponent : exponent;
  text.append(exponent < 0 ? "e-" : "e+");
  if (power < 10) text.push_back('0');
  return text.append(std::to_string(power));
}

Index checked_count(const Index* shape, int rank, std::size_t element_size, std::string_view call,
                    std::string_view argument) {
  Index count = 1;
  const Index limit = std::numeric_limits<Index>::max() / static_cast<Index>(element_size);
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 1) {
      fail(call, argument, "every axis must be at least 1; shape is " + shape_text(shape, rank));
    }
    if (shape[axis] > limit / count) {
      fail(call, argument, "too large to address: shape " + shape_text(shape, rank));
    }
    count *= shape[axis];
  }
  return count;
}

}  // namespace tril
