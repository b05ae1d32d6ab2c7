// .safetensors files: named tensors, and no code (the format of Hugging Face's library
// safetensors).
//
//   header length, 8 bytes; header: a JSON object; data
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
//   24]}, ...}
//
// It reads every type but complex numbers and floats of 8 bits or fewer, and writes F32, F16 and
// BF16.
#pragma once

#include <tril/files/stored_tensor.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// Texts by their keys.
using Metadata = std::map<std::string, std::string>;

// A tensor of a file, whose bytes it borrows.
struct NamedTensor {
  std::string name;       // as in the header
  StoredTensor tensor;    // its type, shape and elements
  std::size_t begin = 0;  // offset of the elements in the file
};

// A tensor of an unsupported type.
struct UnreadTensor {
  std::string name;     // as in the header
  std::string problem;  // names its type
};

// The content of a file.
struct Safetensors {
  std::vector<NamedTensor> tensors;  // in the order of the header
  Metadata metadata;                 // empty where there is none

  // The tensor of this name; nullptr where there is none.
  const StoredTensor* find(std::string_view name) const noexcept;
};

// The tensors of a file, which borrow its bytes. Throws Error, naming the byte or the tensor, where
// the file is truncated, the header has another form, names repeat, a shape does not fit its bytes,
// or the tensors do not fill the data without gap or overlap. A tensor of an unsupported type is
// appended to `unread`; without `unread` it is an error, too.
Safetensors parse_safetensors(std::span<const std::byte> file,
                              std::vector<UnreadTensor>* unread = nullptr);

// For files that are read in parts: safetensors_begin gives the size of the header from the first 8
// or more bytes; parse_safetensors_header gives the tensors, without elements, from the whole
// header. Both throw Error as parse_safetensors does.
std::size_t safetensors_begin(std::span<const std::byte> begin, std::size_t file_size);
Safetensors parse_safetensors_header(std::span<const std::byte> begin, std::size_t file_size,
                                     std::vector<UnreadTensor>* unread = nullptr);

// A tensor to be written.
struct TensorToStore {
  std::string name;                         // UTF-8
  std::vector<Index> shape;                 // any rank
  std::span<const float> elements;          // row-major
  ElementType type = ElementType::float32;  // type in the file: float32, float16 or bfloat16
};

// The header of a file, which the elements of the tensors follow in order. Throws Error for a name
// that repeats, is "__metadata__" or not UTF-8, for another type, and where elements do not fit
// their shape.
std::string safetensors_header(std::span<const TensorToStore> tensors,
                               const Metadata& metadata = {});

// A whole file; write_elements says how elements are rounded.
std::vector<std::byte> safetensors_bytes(std::span<const TensorToStore> tensors,
                                         const Metadata& metadata = {});

}  // namespace tril
