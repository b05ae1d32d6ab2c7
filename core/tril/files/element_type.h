// The types of numbers that files hold. The core computes in float; files are read into it.
#pragma once

#include <cstddef>

namespace tril {

// NumPy has all but bfloat16 and q8_0.
enum class ElementType {
  boolean,  // a byte each; any but 0 is true
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,   // IEEE 754 binary16
  bfloat16,  // the upper half of a float
  float32,
  float64,
  q8_0,  // blocks of 32 along the last axis: a float16 scale, then 32 int8 that it is times
};

// Bytes of one element, or of one block.
std::size_t element_size(ElementType type) noexcept;

// How many elements are in a block: 32 of q8_0, else 1.
std::size_t block_length(ElementType type) noexcept;

// NumPy's name: "float32", "bool"; "bfloat16", which NumPy has not.
const char* element_name(ElementType type) noexcept;

}  // namespace tril
