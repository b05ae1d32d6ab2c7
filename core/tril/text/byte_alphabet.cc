#include <tril/files/utf8.h>
#include <tril/text/byte_alphabet.h>

#include <array>

namespace tril::detail {
namespace {

constexpr std::uint32_t kBytes = 256;

constexpr bool stands_for_itself(std::uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
}

constexpr std::array<std::uint32_t, kBytes> kCodes = [] {
  std::array<std::uint32_t, kBytes> codes{};
  std::uint32_t next = kBytes;
  for (std::uint32_t byte = 0; byte < kBytes; ++byte) {
    codes[byte] = stands_for_itself(byte) ? byte : next++;
  }
  return codes;
}();

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(text, kCodes[static_cast<unsigned char>(byte)]);
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    std::uint32_t byte = 0;
    while (byte < kBytes && kCodes[byte] != next.code) ++byte;
    if (next.size == 0 || byte == kBytes) return std::nullopt;
    bytes += static_cast<char>(byte);
    text.remove_prefix(next.size);
  }
  return bytes;
}

}  // namespace tril::detail
