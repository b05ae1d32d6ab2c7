// GGUF files: a model's settings, its tokenizer and its tensors in one (ggml's docs/gguf.md).
//
//   "GGUF", version, number of tensors, number of keys
//   each key:     its name, the type of its value, the value
//   each tensor:  its name, its axes, the innermost first, its type, its offset in the data
//   the data, at the next multiple of general.alignment
//
// Read: versions 2 and 3, lowest byte first, and tensors of F32, F16, BF16 and Q8_0.
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

// The value of a key, or several of one type, in the bytes that it borrows.
struct GgufValue {
  // By their numbers in the file.
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
  Type type = Type::uint8;                // of the elements, where there are several
  bool is_list = false;                   // whether there are
  std::uint64_t count = 1;                // how many
  std::span<const std::byte> bytes = {};  // one after the other
  std::size_t begin = 0;                  // the byte of the file that they begin at
};

// A string of a list, and the byte of the file that it begins at.
struct GgufText {
  std::string_view text;  // as the file has it
  std::size_t begin;      // the byte
};

// What a file holds besides the elements of its tensors. It borrows the file's first bytes.
struct Gguf {
  std::map<std::string, GgufValue, std::less<>> values;  // by their keys
  std::vector<NamedTensor> tensors;  // in the order of the file; shapes as PyTorch has them

  // Whether there is such a key.
  bool has(std::string_view key) const { return values.contains(key); }
  // The tensor of this name; nullptr where there is none.
  const StoredTensor* find(std::string_view name) const noexcept;

  // The value of a key, or `otherwise` where there is none; without `otherwise` it must be there.
  // float32 numbers are the decimal numbers that they were rounded from: 1e-5. Throw Error, naming
  // the key, where it is missing or has another type, and integer() where it is no whole number
  // from 0 to 2^30.
  Index integer(const std::string& key, std::optional<Index> otherwise = {}) const;
  [[deprecated("is integer() now")]] Index whole(const std::string& key,
                                                 std::optional<Index> otherwise = {}) const {
    return integer(key, otherwise);
  }
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool boolean(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string_view text(const std::string& key,
                        std::optional<std::string_view> otherwise = {}) const;
  // The values of a list; empty where it is missing. Throw as those do.
  std::vector<GgufText> texts(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;

 private:
  const GgufValue* value(const std::string& key, bool may_miss, bool is_list) const;
};

// Whether a file that begins so is a GGUF file.
bool is_gguf(std::span<const std::byte> begin) noexcept;

// For files of which only a part is in memory at a time: how many bytes stand before the elements,
// if `begin` has all of these; else a larger number of bytes of the file, for which to call again.
// Throws Error as parse_gguf_header does.
std::size_t gguf_begin(std::span<const std::byte> begin, std::size_t file_size);

// What stands before the elements of a file's tensors, from all these bytes. Throws Error, saying
// at which byte or in which tensor, where the file is cut short or of another version, names
// repeat, a tensor's type is not read, or tensors overlap, are not aligned or not within the file.
Gguf parse_gguf_header(std::span<const std::byte> begin, std::size_t file_size);

}  // namespace tril
