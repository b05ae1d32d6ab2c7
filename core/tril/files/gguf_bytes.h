// Bytes of GGUF files, for the reader of the header and the reader of values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tril::detail {

// The call named in errors.
inline constexpr const char* kGgufCall = "parse_gguf";

// The number of bytes of a value of each type; 0 for strings and lists.
inline constexpr std::uint8_t kGgufValueSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// A little-endian number of `size` bytes.
inline std::uint64_t gguf_number(const std::byte* from, std::size_t size) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    bits |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  }
  return bits;
}

}  // namespace tril::detail
