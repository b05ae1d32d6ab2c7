// A tensor in the form of a file: any type, any rank, either order of axes and of bytes. It borrows
// the bytes. read_elements converts them to floats in row-major order, write_elements converts
// floats to bytes.
#pragma once

#include <tril/files/element_type.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tril {

// The bytes of a tensor and their meaning.
struct StoredTensor {
  ElementType type = ElementType::float32;  // of each element
  std::vector<Index> shape = {};            // empty for a single number; an axis may be 0
  bool column_major = false;                // whether the first axis is contiguous, not the last
  bool big_endian = false;                  // whether the highest byte comes first
  std::span<const std::byte> bytes = {};    // count() elements without gaps

  // The number of elements.
  Index count() const noexcept;
};

// The bytes of a tensor; nothing where they cannot be addressed, an axis is negative, or the last
// axis is not a multiple of the block length.
std::optional<std::size_t> stored_bytes(std::span<const Index> shape, ElementType type) noexcept;

// Reads all elements in row-major order. T is float or double. Numbers that T cannot represent are
// rounded to nearest, or become infinite beyond its range; true is 1. Throws Error unless `out` has
// count() elements and the tensor has the bytes of its shape and type.
template <typename T>
void read_elements(const StoredTensor& tensor, std::span<T> out);

// Writes elements little-endian as float32, float16 or bfloat16, rounded to nearest, ties to even,
// and to infinity beyond their range. Elements read from the same type come back bit for bit, NaN
// included. Throws Error for another type, and unless `out` has element_size(type) bytes an
// element.
void write_elements(std::span<const float> elements, ElementType type, std::span<std::byte> out);

}  // namespace tril
