// Reads numbers with locale-dependent functions, which get an explicit locale here and are used
// nowhere else.
#include <tril/foundation/exact_number.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#if defined(__APPLE__)
#include <xlocale.h>
#elif !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include <locale.h>
#endif

#ifdef __EMSCRIPTEN__
#include <emscripten/em_js.h>

#include <cmath>

EM_JS(double, tril_number_of_engine, (const char* text, std::size_t size), {
  const begin = text >>> 0;
  let read = "";
  for (let i = begin; i < begin + size; ++i) read += String.fromCharCode(HEAPU8[i]);
  return Number(read);
})
#endif

namespace tril {
namespace {

#if defined(__EMSCRIPTEN__)

bool is_word(std::string_view text, std::string_view word) noexcept {
  return std::ranges::equal(text, word, {}, [](char letter) { return letter | 0x20; });
}

// Read by the JavaScript engine, which rounds as strtod does. strtod itself would add 8 kB to the
// download.
std::optional<double> nearest(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (is_word(text, "inf") || is_word(text, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else if (!is_word(text, "nan")) {
    if (text.find_first_not_of("0123456789.eE+-") != text.npos) return {};
    value = tril_number_of_engine(text.data(), text.size());
    if (std::isnan(value)) return {};
  }
  return negative ? -value : value;
}

#elif defined(__cpp_lib_to_chars) || defined(_WIN32)

// Whether a number that from_chars found out of range is too large, not too small: whether it is 1
// or more, by the position of its first non-zero digit relative to the point, and the exponent.
bool is_large(std::string_view text) noexcept {
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t exponent = 0;
  if (mark != text.npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.front() == '+') power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (read.ec != std::errc()) return power.front() != '-';
  }
  return exponent > -place;
}

std::optional<double> nearest(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return {};
  if (read.ec == std::errc::result_out_of_range) {
    value = is_large(text) ? std::numeric_limits<double>::infinity() : 0;
    if (text.front() == '-') value = -value;
  }
  return value;
}

#else  // libc++'s from_chars reads no fractions, or only on the newest systems

std::optional<double> nearest(std::string_view text) {
  static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string ended(text);
  char* end = nullptr;
  const double value = strtod_l(ended.c_str(), &end, kPlain);
  if (end != ended.c_str() + ended.size()) return {};
  return value;
}

#endif

}  // namespace

std::optional<double> read_number(std::string_view text) {
  std::string_view size = text;  // without the sign
  if (size.starts_with('-')) size.remove_prefix(1);
  if (size.empty() || std::string_view("0123456789.iInN").find(size.front()) == size.npos ||
      size.find_first_of("xX(") != size.npos) {
    return {};
  }
  return nearest(text);
}

}  // namespace tril
