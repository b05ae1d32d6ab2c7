#include <tril/files/stored_tensor.h>
#include <tril/foundation/check.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tril {
namespace {

template <typename Bits>
Bits load(const std::byte* from, bool big_endian) noexcept {
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    const std::size_t place = big_endian ? sizeof(Bits) - 1 - i : i;
    bits = static_cast<Bits>(bits | static_cast<Bits>(from[i]) << (8 * place));
  }
  return bits;
}

// Sign 1, exponent 5, fraction 10 bits. A subnormal is fraction * 2^-24, exact in float.
float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 0x1fu,
                      fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// visit(element, place) for the elements in row-major order, which lie at `place` in the file.
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

template <typename Bits, typename T, typename Decode>
void convert(const StoredTensor& tensor, std::span<T> out, const Decode& decode) {
  walk(tensor, [&](Index n, Index place) {
    const std::byte* const from =
        tensor.bytes.data() + static_cast<std::size_t>(place) * sizeof(Bits);
    out[static_cast<std::size_t>(n)] = static_cast<T>(decode(load<Bits>(from, tensor.big_endian)));
  });
}

template <typename Signed, typename T>
void convert_signed(const StoredTensor& tensor, std::span<T> out) {
  convert<std::make_unsigned_t<Signed>>(tensor, out,
                                        [](auto bits) { return static_cast<Signed>(bits); });
}

template <typename Unsigned, typename T>
void convert_unsigned(const StoredTensor& tensor, std::span<T> out) {
  convert<Unsigned>(tensor, out, [](auto bits) { return bits; });
}

}  // namespace

Index StoredTensor::count() const noexcept {
  return static_cast<Index>(stored_bytes(shape, type).value_or(0) / element_size(type));
}

std::optional<std::size_t> stored_bytes(std::span<const Index> shape, ElementType type) noexcept {
  // Without axes of 0, so that no product of strides overflows either.
  Index bytes = static_cast<Index>(element_size(type));
  bool none = false;
  for (const Index size : shape) {
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
         std::to_string(tensor.bytes.size()) + " bytes do not fit shape " + shape + " of " +
             element_name(tensor.type));
  }
  if (out.size() != static_cast<std::size_t>(tensor.count())) {
    fail(kCall, "out",
         "holds " + std::to_string(out.size()) + " elements, but the shape is " + shape);
  }
  if (out.empty()) return;
  if (std::is_same_v<T, float> && tensor.type == ElementType::float32 && !tensor.column_major &&
      !tensor.big_endian && std::endian::native == std::endian::little) {
    std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
    return;
  }
  switch (tensor.type) {
    case ElementType::boolean:
      return convert<std::uint8_t>(tensor, out, [](auto bits) { return bits != 0; });
    case ElementType::int8:
      return convert_signed<std::int8_t>(tensor, out);
    case ElementType::uint8:
      return convert_unsigned<std::uint8_t>(tensor, out);
    case ElementType::int16:
      return convert_signed<std::int16_t>(tensor, out);
    case ElementType::uint16:
      return convert_unsigned<std::uint16_t>(tensor, out);
    case ElementType::int32:
      return convert_signed<std::int32_t>(tensor, out);
    case ElementType::uint32:
      return convert_unsigned<std::uint32_t>(tensor, out);
    case ElementType::int64:
      return convert_signed<std::int64_t>(tensor, out);
    case ElementType::uint64:
      return convert_unsigned<std::uint64_t>(tensor, out);
    case ElementType::float16:
      return convert<std::uint16_t>(tensor, out, from_half);
    case ElementType::bfloat16:
      return convert<std::uint16_t>(tensor, out, [](std::uint16_t bits) {
        return std::bit_cast<float>(std::uint32_t{bits} << 16);
      });
    case ElementType::float32:
      return convert<std::uint32_t>(tensor, out,
                                    [](auto bits) { return std::bit_cast<float>(bits); });
    case ElementType::float64:
      return convert<std::uint64_t>(tensor, out,
                                    [](auto bits) { return std::bit_cast<double>(bits); });
  }
  fail(kCall, "tensor",
       "there is no element type number " + std::to_string(static_cast<int>(tensor.type)));
}

template void read_elements(const StoredTensor& tensor, std::span<float> out);
template void read_elements(const StoredTensor& tensor, std::span<double> out);

}  // namespace tril
