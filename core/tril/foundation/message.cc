#include <tril/foundation/exact_number.h>
#include <tril/foundation/message.h>

#include <cmath>

namespace tril {

std::string shape_text(const Index* shape, int rank) {
  std::string text = "[";
  for (int axis = 0; axis < rank; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

// value = digits * 10^(exponent - 8), nine digits rounded to nearest; six digits where the last
// three are within the rounding of a float
std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  const bool negative = std::signbit(value);
  double size = std::fabs(value);
  if (std::isinf(size)) return negative ? "-inf" : "inf";
  if (size == 0) return negative ? "-0" : "0";
  if (size < 1e15 && std::floor(size) == size) {
    return std::to_string(static_cast<long long>(value));
  }
  int exponent = 8;
  for (; size >= 999999999.5; size /= 10) ++exponent;
  for (; size < 99999999.95; size *= 10) --exponent;
  const double six = std::floor(size / 1000 + 0.5);
  const bool is_near = std::fabs(1000 * six - size) <= 6e-8 * size;
  const double digits = is_near ? six : std::floor(size + 0.5);
  // Six nines and more become a power of ten.
  if (is_near && six == 1000000) ++exponent;
  return detail::decimal_text(negative, std::to_string(static_cast<long long>(digits)), exponent);
}

std::string Message::text() const {
  std::string text;
  for (int i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    switch (part.kind) {
      case Kind::words:
        text.append(part.value.words, static_cast<std::size_t>(part.count));
        break;
      case Kind::shape:
        text.append(shape_text(part.value.axes, part.count));
        break;
      case Kind::message:
        text.append(part.value.message->text());
        break;
      case Kind::integer:
        text.append(std::to_string(part.value.integer));
        break;
      case Kind::natural:
        text.append(std::to_string(part.value.natural));
        break;
      case Kind::number:
        text.append(number_text(part.value.number));
        break;
    }
  }
  return text;
}

}  // namespace tril
