// .safetensors files: tensors by name, and nothing that could run (the format of Hugging Face's
// library safetensors).
//
//   header length, 8 bytes; header: a JSON object; data
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
//   24]}, ...}
//
// Read: every type but those of 8-bit floats. Written: F32, F16 and BF16.
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

// A tensor of a file, which it borrows.
struct NamedTensor {
  std::string name;       // as it stands in the header
  StoredTensor tensor;    // where its elements are
  std::size_t begin = 0;  // the byte of the file that they begin at
};

// What a file holds.
struct Safetensors {
  std::vector<NamedTensor> tensors;  // in the order of the header
  Metadata metadata;                 // empty where there is none

  // nullptr where there is none of this name.
  const StoredTensor* find(std::string_view name) const noexcept;
};

// The tensors in a file's bytes, which they borrow. Throws Error, saying at which byte or in which
// tensor, where the file is cut short, the header is no such object, names repeat, a shape does not
// fit its bytes, or the tensors do not fill the data from beginning to end without overlap.
Safetensors parse_safetensors(std::span<const std::byte> file);

// For files of which only a part is in memory at a time: how many bytes stand before the elements,
// from the first 8 or more bytes of a file of so many; and its tensors, from all of those bytes,
// without their elements. Throw Error as parse_safetensors does.
std::size_t safetensors_begin(std::span<const std::byte> begin, std::size_t file_size);
Safetensors parse_safetensors_header(std::span<const std::byte> begin, std::size_t file_size);

// A tensor that is to be written.
struct TensorToStore {
  std::string name;                         // UTF-8
  std::vector<Index> shape;                 // any rank
  std::span<const float> elements;          // row-major
  ElementType type = ElementType::float32;  // in the file: this, float16 or bfloat16
};

// What stands in a file before the elements of all tensors, one after the other. Throws Error for a
// name that repeats, is "__metadata__" or not UTF-8, for another type, and where elements do not
// fit their shape.
std::string safetensors_header(std::span<const TensorToStore> tensors,
                               const Metadata& metadata = {});

// A whole file; see write_elements for how elements are rounded.
std::vector<std::byte> safetensors_bytes(std::span<const TensorToStore> tensors,
                                         const Metadata& metadata = {});

}  // namespace tril
