// Numbers as text: decimal digits and a point in every locale, which printf and streams do not
// promise.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>

namespace tril {

// A number as printf writes it in the C locale: "%.4f" is chars_format::fixed and 4, "%.4g"
// general.
inline std::string number_text(double value, std::chars_format format, int digits) {
  char text[400];  // 309 digits before the point and those after it
  return {text, std::to_chars(text, text + sizeof text, value, format, digits).ptr};
}

inline std::string fixed_text(double value, int digits) {
  return number_text(value, std::chars_format::fixed, digits);
}

inline std::string general_text(double value, int digits) {
  return number_text(value, std::chars_format::general, digits);
}

// Pads with spaces, in front or after, to a width.
inline std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}
inline std::string left_aligned(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace tril
