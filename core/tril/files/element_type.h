// The element types of files. The core reads all of them into floats.
#pragma once

#include <cstddef>

namespace tril {

// All but bfloat16 and q8_0 are NumPy's.
enum class ElementType {
  boolean,  // one byte an element; not 0: true
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
  q8_0,  // blocks of 32 along the last axis: a float16 scale, then 32 int8 to multiply by it
};

namespace detail {

struct ElementTraits {
  std::size_t size;  // bytes of an element or a block
  const char* name;
};

// Size and name of each type, in the order of ElementType.
inline constexpr ElementTraits kElementTraits[] = {
    {1, "bool"},     {1, "int8"},    {1, "uint8"},   {2, "int16"},  {2, "uint16"},
    {4, "int32"},    {4, "uint32"},  {8, "int64"},   {8, "uint64"}, {2, "float16"},
    {2, "bfloat16"}, {4, "float32"}, {8, "float64"}, {34, "q8_0"}};

}  // namespace detail

// The bytes of one element, or of one block.
constexpr std::size_t element_size(ElementType type) noexcept {
  return detail::kElementTraits[static_cast<std::size_t>(type)].size;
}

// The number of elements of a block: 32 for q8_0, else 1.
constexpr std::size_t block_length(ElementType type) noexcept {
  return type == ElementType::q8_0 ? 32 : 1;
}

// NumPy's name: "float32", "bool"; "bfloat16" and "q8_0", which NumPy does not have.
constexpr const char* element_name(ElementType type) noexcept {
  return detail::kElementTraits[static_cast<std::size_t>(type)].name;
}

}  // namespace tril
