// The bytes of GGUF files, for what reads them and for what reads the values of their keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tril::detail {

// In whose name errors are thrown.
inline constexpr const char* kGgufCall = "parse_gguf";

// Bytes of a value, by its type; 0 of strings and lists.
inline constexpr std::uint8_t kGgufValueSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// `size` bytes, the lowest first.
inline std::uint64_t gguf_number(const std::byte* from, std::size_t size) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    bits |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  }
  return bits;
}

}  // namespace tril::detail
