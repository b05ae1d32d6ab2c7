// GGUF files: a model's settings, tokenizer and tensors in one file (ggml's docs/gguf.md).
//
//   "GGUF", version, number of tensors, number of keys
//   each key:     its name, the type of its value, the value
//   each tensor:  its name, its axes, the innermost first, its type, its offset in the data
//   the data, at the next multiple of general.alignment
//
// It reads versions 2 and 3, little-endian, and tensors of F32, F16, BF16 and Q8_0.
#pragma once

#include <tril/files/safetensors.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The value of a key: one value, or a list of one type. Borrows its bytes.
struct GgufValue {
  // The types, with their numbers in the file.
  enum class Type : std::uint32_t {
    uint8,
    int8,
    uint16,
    int16,
    uint32,
    int32,
    float32,
    boolean,
    string,
    list,
    uint64,
    int64,
    float64
  };
  Type type = Type::uint8;                // type of the value, or of each element of a list
  bool is_list = false;                   // whether it is a list
  std::uint64_t count = 1;                // number of elements
  std::span<const std::byte> bytes = {};  // the elements, contiguous
  std::size_t begin = 0;                  // offset of `bytes` in the file
};

// A string of a list.
struct GgufText {
  std::string_view text;  // the bytes of the file
  std::size_t begin;      // its offset in the file
};

// The content of a file without the elements of its tensors. Borrows the file's first bytes.
struct Gguf {
  std::map<std::string, GgufValue, std::less<>> values;  // by their keys
  std::vector<NamedTensor> tensors;  // in the order of the file, with PyTorch's shapes

  // Whether the file has this key.
  bool has(std::string_view key) const { return values.contains(key); }
  // The tensor of this name; nullptr where there is none.
  const StoredTensor* find(std::string_view name) const noexcept;

  // The value of a key, or `otherwise` where it is missing; without `otherwise` it must exist. A
  // float32 number becomes a short decimal that rounds to it, such as 1e-5. These throw Error,
  // naming the key, where it is missing or has another type, and integer() where it is not an
  // integer from 0 to 2^30.
  Index integer(const std::string& key, std::optional<Index> otherwise = {}) const;
  [[deprecated("is integer() now")]] Index whole(const std::string& key,
                                                 std::optional<Index> otherwise = {}) const {
    return integer(key, otherwise);
  }
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool boolean(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string_view text(const std::string& key,
                        std::optional<std::string_view> otherwise = {}) const;
  // The values of a list; empty where it is missing. Throws like the functions above.
  std::vector<GgufText> texts(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;

 private:
  const GgufValue* value(const std::string& key, bool may_miss, bool is_list) const;
};

// Whether a file with this beginning is a GGUF file.
bool is_gguf(std::span<const std::byte> begin) noexcept;

// For files that are read in parts: the size of the header, if `begin` contains all of it; else a
// larger number of bytes with which to call again. Throws Error as parse_gguf_header does.
std::size_t gguf_begin(std::span<const std::byte> begin, std::size_t file_size);

// Parses the header, all bytes before the elements. Throws Error, naming the byte or the tensor,
// where the file is truncated or of another version, names repeat, a tensor's type is not
// supported, or tensors overlap, are not aligned or not within the file.
Gguf parse_gguf_header(std::span<const std::byte> begin, std::size_t file_size);

}  // namespace tril
