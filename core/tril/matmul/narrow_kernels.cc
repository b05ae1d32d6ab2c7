#include <tril/matmul/dot_rows.h>
#include <tril/matmul/narrow_kernels.h>

namespace tril::TRIL_ISA {
namespace {

template <typename Number>
const Number* as(const std::uint16_t* bits) noexcept {
  static_assert(sizeof(Number) == sizeof(std::uint16_t));
  return reinterpret_cast<const Number*>(bits);
}

template <typename Number>
void dot_narrow_rows(const float* x, const std::uint16_t* b, Index stride, Index depth, Index cols,
                     const TileOutput& out) noexcept {
  dot_rows(x, as<Number>(b), stride, depth, cols, out);
}

template <typename Number>
void widen_all(const std::uint16_t* from, Index count, float* to) noexcept {
  const Number* const numbers = as<Number>(from);
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, load(numbers + i));
  for (; i < count; ++i) to[i] = widen(numbers[i]);
}

template <typename Number>
constexpr NarrowFormat kFormat = {dot_narrow_rows<Number>, widen_all<Number>};

}  // namespace

extern const NarrowKernels kNarrowKernels;
const NarrowKernels kNarrowKernels{kFormat<Float16>, kFormat<Bfloat16>};

}  // namespace tril::TRIL_ISA
