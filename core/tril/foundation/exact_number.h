// Numbers as text and back with the same bits, in any locale: printf, strtod and streams write and
// expect "0,5" in some locales. The digits are searched for here because std::to_chars of a double
// would bring large tables into a WebAssembly module, and libc++ 14 has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tril {

// The shortest text with these bits: "0.001", "0.30000000000000004".
std::string exact_number_text(double value);

// The double nearest to a decimal number ("-12", ".5", "1.25e-3"), "inf", "infinity" or "nan", in
// any case of letters; beyond what a double holds, infinity or zero. Nothing for any other text, or
// where more text follows: no spaces, no "+" in front, no hexadecimal digits.
std::optional<double> read_number(std::string_view text);

namespace detail {

// digits[0].digits[1]digits[2]... * 10^exponent, as printf's %g writes it.
std::string decimal_text(bool negative, std::string digits, int exponent);

}  // namespace detail
}  // namespace tril
