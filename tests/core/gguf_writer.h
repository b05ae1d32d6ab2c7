// A plain writer of GGUF files for the tests, after ggml's docs/gguf.md: it writes what it is told,
// right or wrong.
#pragma once

#include <tril/files/stored_tensor.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace tril::testing {

// The type numbers of values and of tensors.
enum GgufKind : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kList, kU64 };
enum GgmlType : std::uint32_t { kTensorF32 = 0, kTensorF16 = 1, kTensorQ8 = 8, kTensorBf16 = 30 };

template <typename T>
std::string little(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
inline std::string sized(const std::string& text) {
  return little<std::uint64_t>(text.size()) + text;
}

// 32 numbers as a block of q8_0: the scale is the largest over 127, as a half.
inline std::string q8_block(std::span<const float> numbers) {
  float largest = 0;
  for (const float each : numbers) largest = std::max(largest, std::fabs(each));
  std::byte half[2];
  const float given = largest / 127;
  write_elements({&given, 1}, ElementType::float16, half);
  float scale = 0;
  StoredTensor stored{.type = ElementType::float16, .shape = {1}};
  stored.bytes = half;
  read_elements(stored, std::span(&scale, 1));
  std::string block(reinterpret_cast<const char*>(half), 2);
  for (const float each : numbers) {
    block += static_cast<char>(scale > 0 ? std::lround(each / scale) : 0);
  }
  return block;
}

class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::size_t alignment = 32;  // written as general.alignment unless it is 32

  void value(const std::string& key, std::uint32_t kind, const std::string& bytes) {
    values_ += sized(key) + little(kind) + bytes;
    ++count_;
  }
  void u32(const std::string& key, std::int64_t number) {
    value(key, kU32, little(static_cast<std::uint32_t>(number)));
  }
  void f32(const std::string& key, double number) {
    value(key, kF32, little(static_cast<float>(number)));
  }
  void flag(const std::string& key, bool is) {
    value(key, kBool, std::string(1, is ? '\1' : '\0'));
  }
  void text(const std::string& key, const std::string& text) { value(key, kText, sized(text)); }
  void texts(const std::string& key, const std::vector<std::string>& list) {
    std::string all;
    for (const std::string& each : list) all += sized(each);
    value(key, kList, little<std::uint32_t>(kText) + little<std::uint64_t>(list.size()) + all);
  }
  template <typename T>
  void numbers(const std::string& key, std::uint32_t kind, const std::vector<T>& list) {
    std::string all;
    for (const T each : list) all += little(each);
    value(key, kList, little(kind) + little<std::uint64_t>(list.size()) + all);
  }
  // Adds a tensor whose data is `bytes`; its axes are in PyTorch's order.
  void tensor(const std::string& name, const std::vector<Index>& shape, std::uint32_t type,
              const std::string& bytes) {
    pad();
    tensor_at(name, shape, type, data_.size());
    data_ += bytes;
  }
  void tensor_at(const std::string& name, const std::vector<Index>& shape, std::uint32_t type,
                 std::uint64_t offset) {
    tensors_ += sized(name) + little(static_cast<std::uint32_t>(shape.size()));
    for (std::size_t n = shape.size(); n-- > 0;) tensors_ += little<std::int64_t>(shape[n]);
    tensors_ += little(type) + little(offset);
    ++tensor_count_;
  }
  // Adds a tensor of floats, converted to this type.
  void floats(const std::string& name, const std::vector<Index>& shape, std::uint32_t type,
              std::span<const float> elements) {
    std::string bytes;
    if (type == kTensorQ8) {
      for (std::size_t n = 0; n < elements.size(); n += 32)
        bytes += q8_block(elements.subspan(n, 32));
    } else {
      const ElementType element = type == kTensorF32   ? ElementType::float32
                                  : type == kTensorF16 ? ElementType::float16
                                                       : ElementType::bfloat16;
      bytes.resize(elements.size() * element_size(element));
      write_elements(elements, element, std::as_writable_bytes(std::span(bytes)));
    }
    tensor(name, shape, type, bytes);
  }
  // The file with its own counts, unless others are given.
  std::string file() const { return file(tensor_count_, count_ + (alignment != 32)); }
  std::string file(std::uint64_t tensors, std::uint64_t keys) const {
    std::string all = "GGUF" + little(version) + little(tensors) + little(keys) + values_;
    if (alignment != 32) {
      all += sized("general.alignment") + little<std::uint32_t>(kU32) +
             little(static_cast<std::uint32_t>(alignment));
    }
    all += tensors_;
    if (alignment > 0) all.resize((all.size() + alignment - 1) / alignment * alignment);
    return all + data_;
  }

 private:
  void pad() {
    if (alignment > 0) data_.resize((data_.size() + alignment - 1) / alignment * alignment);
  }

  std::string values_, tensors_, data_;
  std::uint64_t count_ = 0, tensor_count_ = 0;
};

}  // namespace tril::testing
