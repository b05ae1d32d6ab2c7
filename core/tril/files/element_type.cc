#include <tril/files/element_type.h>

namespace tril {
namespace {

struct Traits {
  std::size_t size;
  const char* name;
};

// In the order of ElementType.
constexpr Traits kTraits[] = {{1, "bool"},    {1, "int8"},    {1, "uint8"},    {2, "int16"},
                              {2, "uint16"},  {4, "int32"},   {4, "uint32"},   {8, "int64"},
                              {8, "uint64"},  {2, "float16"}, {2, "bfloat16"}, {4, "float32"},
                              {8, "float64"}, {34, "q8_0"}};

const Traits& traits(ElementType type) noexcept { return kTraits[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t element_size(ElementType type) noexcept { return traits(type).size; }

std::size_t block_length(ElementType type) noexcept { return type == ElementType::q8_0 ? 32 : 1; }

const char* element_name(ElementType type) noexcept { return traits(type).name; }

}  // namespace tril
