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
