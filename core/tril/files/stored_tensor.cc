#include <tril/files/stored_tensor.h>
#include <tril/foundation/check.h>
#include <tril/foundation/half.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tril {
namespace {

static_assert(std::endian::native == std::endian::little,
              "Tril reads and writes files as little-endian processors hold them in memory");

// The bytes of one element as a number.
std::uint64_t load(const std::byte* from, std::size_t size, bool big_endian) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = big_endian ? size - 1 - i : i;
    bits |= static_cast<std::uint64_t>(from[i]) << (8 * place);
  }
  return bits;
}

std::uint16_t to_brain_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<std::uint16_t>(bits >> 16 | ((bits >> 16 & 0x7fu) != 0 ? 0u : 0x40u));
  }
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Calls visit(element, position in the file) for the elements in row-major order.
template <typename Visit>
void walk(const StoredTensor& tensor, const Visit& visit) {
  const Index count = tensor.count();
  if (!tensor.column_major) {
    for (Index n = 0; n < count; ++n) visit(n, n);
    return;
  }
  std::vector<Index> strides(tensor.shape.size()), index(tensor.shape.size());
  Index stride = 1;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    strides[axis] = stride;
    stride *= tensor.shape[axis];
  }
  Index place = 0;
  for (Index n = 0; n < count; ++n) {
    visit(n, place);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      place += strides[axis];
      if (++index[axis] < tensor.shape[axis]) break;
      place -= strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
  }
}

// Reads one element. A separate loop for every type would be ten times the code.
template <typename T>
T decode(ElementType type, std::uint64_t bits) noexcept {
  switch (type) {
    case ElementType::boolean:
      return static_cast<T>(bits != 0);
    case ElementType::int8:
      return static_cast<T>(static_cast<std::int8_t>(bits));
    case ElementType::int16:
      return static_cast<T>(static_cast<std::int16_t>(bits));
    case ElementType::int32:
      return static_cast<T>(static_cast<std::int32_t>(bits));
    case ElementType::int64:
      return static_cast<T>(static_cast<std::int64_t>(bits));
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
    case ElementType::uint64:
      return static_cast<T>(bits);
    case ElementType::float16:
      return static_cast<T>(from_half(static_cast<std::uint16_t>(bits)));
    case ElementType::bfloat16:
      return static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    case ElementType::float32:
      return static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ElementType::float64:
      return static_cast<T>(std::bit_cast<double>(bits));
    case ElementType::q8_0:  // read_block
      break;
  }
  return T{};
}

// The 32 elements of a block of q8_0 (block_q8_0 in ggml-common.h).
template <typename T>
void read_block(const std::byte* block, T* out) noexcept {
  const float scale = from_half(static_cast<std::uint16_t>(load(block, 2, false)));
  for (int i = 0; i < 32; ++i) {
    out[i] = static_cast<T>(scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i])));
  }
}

}  // namespace

Index StoredTensor::count() const noexcept {
  const std::size_t blocks = stored_bytes(shape, type).value_or(0) / element_size(type);
  return static_cast<Index>(blocks * block_length(type));
}

std::optional<std::size_t> stored_bytes(std::span<const Index> shape, ElementType type) noexcept {
  // Axes of 0 are left out, so that no product of strides overflows either.
  Index bytes = static_cast<Index>(element_size(type));
  bool none = false;
  const auto block = static_cast<Index>(block_length(type));
  if (block > 1 && (shape.empty() || shape.back() % block != 0)) return {};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index size = axis + 1 < shape.size() ? shape[axis] : shape[axis] / block;
    if (size < 0) return {};
    if (size == 0) none = true;
    if (size > 0 && size > std::numeric_limits<Index>::max() / bytes) return {};
    if (size > 0) bytes *= size;
  }
  return none ? 0 : static_cast<std::size_t>(bytes);
}

template <typename T>
void read_elements(const StoredTensor& tensor, std::span<T> out) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  constexpr const char* kCall = "read_elements";
  const std::string shape = shape_text(tensor.shape.data(), static_cast<int>(tensor.shape.size()));
  const std::optional<std::size_t> bytes = stored_bytes(tensor.shape, tensor.type);
  if (!bytes || tensor.bytes.size() != *bytes) {
    fail(kCall, "tensor",
         {tensor.bytes.size(), " bytes do not fit shape ", shape, " of ",
          element_name(tensor.type)});
  }
  if (out.size() != static_cast<std::size_t>(tensor.count())) {
    fail(kCall, "out", {"holds ", out.size(), " elements, but the shape is ", shape});
  }
  if (out.empty()) return;
  if (std::is_same_v<T, float> && tensor.type == ElementType::float32 && !tensor.column_major &&
      !tensor.big_endian) {
    std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
    return;
  }
  const std::size_t size = element_size(tensor.type);
  if (tensor.type == ElementType::q8_0) {
    const std::size_t length = block_length(tensor.type);
    for (std::size_t n = 0; n < out.size() / length; ++n) {
      read_block(tensor.bytes.data() + n * size, out.data() + n * length);
    }
    return;
  }
  walk(tensor, [&](Index n, Index place) {
    const std::byte* const from = tensor.bytes.data() + static_cast<std::size_t>(place) * size;
    out[static_cast<std::size_t>(n)] = decode<T>(tensor.type, load(from, size, tensor.big_endian));
  });
}

void write_elements(std::span<const float> elements, ElementType type, std::span<std::byte> out) {
  constexpr const char* kCall = "write_elements";
  if (type != ElementType::float32 && type != ElementType::float16 &&
      type != ElementType::bfloat16) {
    fail(kCall, "type", {"must be float32, float16 or bfloat16, is ", element_name(type)});
  }
  const std::size_t size = element_size(type);
  if (out.size() / size != elements.size() || out.size() % size != 0) {
    fail(kCall, "out",
         {"has ", out.size(), " bytes for ", elements.size(), " elements of ", element_name(type)});
  }
  if (elements.empty()) return;
  if (type == ElementType::float32) {
    std::memcpy(out.data(), elements.data(), out.size());
    return;
  }
  std::byte* to = out.data();
  for (const float element : elements) {
    unsigned bits = type == ElementType::float16 ? to_half(element) : to_brain_float(element);
    for (std::size_t i = 0; i < size; ++i, bits >>= 8) *to++ = static_cast<std::byte>(bits);
  }
}

template void read_elements(const StoredTensor& tensor, std::span<float> out);
template void read_elements(const StoredTensor& tensor, std::span<double> out);

}  // namespace tril
