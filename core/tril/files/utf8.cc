#include <tril/files/utf8.h>

namespace tril::detail {

CodePoint first_code_point(std::string_view text) noexcept {
  constexpr CodePoint kBroken{0, 0};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  // 2, 3 or 4 bytes, by the number of leading ones; each length has a minimum code point.
  const std::size_t more = first >> 5 == 0b110     ? 1
                           : first >> 4 == 0b1110  ? 2
                           : first >> 3 == 0b11110 ? 3
                                                   : 0;
  if (more == 0 || text.size() <= more) return kBroken;
  std::uint32_t code = first & (0x3fu >> more);
  for (std::size_t at = 1; at <= more; ++at) {
    const std::uint32_t next = byte(at);
    if (next >> 6 != 0b10) return kBroken;
    code = code << 6 | (next & 0x3fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    return kBroken;
  }
  return {code, more + 1};
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = first_code_point(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int bits) { append(0x80 | (code >> bits & 0x3f)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    rest(6), rest(0);
  } else {
    append(0xf0 | code >> 18);
    rest(12), rest(6), rest(0);
  }
}

}  // namespace tril::detail
