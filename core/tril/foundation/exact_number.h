// Numbers as text and back with the same bits, whatever locale the program has set: printf, strtod,
// streams and their kin write and expect "0,5" where that is the custom. Digits are searched for
// here because std::to_chars of a double would bring large tables into a WebAssembly module, and
// libc++ 14 has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tril {

// As many digits as that takes, and no more: "0.001", "0.30000000000000004".
std::string exact_number_text(double value);

// The double nearest to a decimal number ("-12", ".5", "1.25e-3"), "inf", "infinity" or "nan", in
// any case of letters; beyond what a double holds, infinity or zero. Nothing where the text is
// anything else or goes on after it: no spaces, no "+" in front, no hexadecimal digits.
std::optional<double> read_number(std::string_view text);

namespace detail {

// digits[0].digits[1]digits[2]... * 10^exponent, as printf's %g writes it.
std::string decimal_text(bool negative, std::string digits, int exponent);

}  // namespace detail
}  // namespace tril
