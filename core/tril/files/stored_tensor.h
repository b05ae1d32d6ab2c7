// A tensor as it lies in a file: any type, any rank, either order of axes and of bytes. It borrows
// the bytes of the file; read_elements turns them into floats in row-major order, write_elements
// floats into what files hold.
#pragma once

#include <tril/files/element_type.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tril {

// The bytes of a file that are a tensor, and how they are to be read.
struct StoredTensor {
  ElementType type = ElementType::float32;  // of each element
  std::vector<Index> shape = {};            // empty: a single number; an axis may be 0
  bool column_major = false;                // the first axis is contiguous, not the last
  bool big_endian = false;                  // the highest byte comes first
  std::span<const std::byte> bytes = {};    // count() elements, nothing between them

  // How many elements there are.
  Index count() const noexcept;
};

// The bytes that a tensor takes; none where they could not be addressed, an axis is negative, or
// blocks do not divide the last one.
std::optional<std::size_t> stored_bytes(std::span<const Index> shape, ElementType type) noexcept;

// Writes all elements in row-major order. What T cannot hold is rounded to nearest, and beyond its
// range becomes infinite; true is 1. T is float or double. Throws Error unless out holds count()
// elements and the tensor as many bytes as its shape and type say.
template <typename T>
void read_elements(const StoredTensor& tensor, std::span<T> out);

// Writes elements as a file holds them, the lowest byte first: as float32, or as float16 or
// bfloat16, rounded to nearest, of two that are as near to the even one, and beyond their range to
// infinity. What was read from the same type comes back bit for bit, NaN included. Throws Error for
// another type, and unless out has element_size(type) bytes for every element.
void write_elements(std::span<const float> elements, ElementType type, std::span<std::byte> out);

}  // namespace tril
