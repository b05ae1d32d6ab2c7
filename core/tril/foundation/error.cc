#include <tril/foundation/error.h>

namespace tril {

std::string detail::on_one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else {
      line += "\\u00";
      line += kDigits[byte >> 4];
      line += kDigits[byte & 15];
    }
  }
  return line;
}

Error::Error(std::string_view call, std::string_view argument, std::string_view problem)
    : std::runtime_error(detail::on_one_line(call) + ": " + detail::on_one_line(argument) + ": " +
                         detail::on_one_line(problem)),
      call_(detail::on_one_line(call)),
      argument_(detail::on_one_line(argument)),
      problem_(detail::on_one_line(problem)) {}

}  // namespace tril
