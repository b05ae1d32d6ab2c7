// Numbers as text that is read back with the same bits.
#pragma once

#include <string>

namespace tril {

// As many digits as that takes, and no more: "0.001", "0.30000000000000004".
std::string exact_number_text(double value);

namespace detail {

// digits[0].digits[1]digits[2]... * 10^exponent, as printf("%g") writes it.
std::string decimal_text(bool negative, std::string digits, int exponent);

}  // namespace detail
}  // namespace tril
