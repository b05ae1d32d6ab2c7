#include <tril/foundation/exact_number.h>
#include <tril/foundation/message.h>

#include <cmath>
#include <cstdint>

namespace tril {

std::string detail::decimal_text(bool negative, std::string digits, int exponent) {
  std::string text;
  if (negative) text.push_back('-');
  digits.erase(digits.find_last_not_of('0') + 1);
  const bool scientific = exponent < -4 || exponent > 5;
  // The number of digits before the point; below 1, zeros come first.
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

namespace {

double power_of_ten(int power) { return *read_number("1e" + std::to_string(power)); }

// value * 10^power, where 10^power alone may overflow a double.
double scaled(double value, int power) {
  const int half = power / 2;
  return value * power_of_ten(half) * power_of_ten(power - half);
}

}  // namespace

// for 1, 2, ... 17 digits: the nearest number of that many digits, if it is read back as the value.
// With 17 digits there is one within the error of the scaling: search around the nearest.
std::string exact_number_text(double value) {
  const bool negative = std::signbit(value);
  const double size = std::fabs(value);
  if (size == 0 || !std::isfinite(size)) return number_text(value);
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  const auto text_of = [&](std::int64_t number, int digits) {
    const std::string written = std::to_string(number);
    return detail::decimal_text(negative, written,
                                exponent + static_cast<int>(written.size()) - digits);
  };
  const auto is_same = [&](const std::string& text) { return read_number(text) == value; };
  constexpr int kMost = 17;
  for (int digits = 1; digits < kMost; ++digits) {
    const std::string text =
        text_of(static_cast<std::int64_t>(scaled(size, digits - 1 - exponent) + 0.5), digits);
    if (is_same(text)) return text;
  }
  const auto middle = static_cast<std::int64_t>(scaled(size, kMost - 1 - exponent));
  for (std::int64_t away = 0;; ++away) {
    for (const std::int64_t number : {middle + away, middle - away}) {
      const std::string text = text_of(number, kMost);
      if (is_same(text)) return text;
    }
  }
}

}  // namespace tril
