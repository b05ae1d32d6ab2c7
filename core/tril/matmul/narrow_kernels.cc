#include <tril/matmul/dot_rows.h>
#include <tril/matmul/weight.h>

namespace tril::TRIL_ISA {
namespace {

template <typename Number>
void dot_narrow_rows(const float* x, const std::byte* b, Index depth, Index cols,
                     const TileOutput& out) noexcept {
  dot_rows(x, reinterpret_cast<const Number*>(b), depth, depth, cols, out);
}

template <typename Number>
void widen_all(const std::byte* row, Index first, Index count, float* to) noexcept {
  const Number* const numbers = reinterpret_cast<const Number*>(row) + first;
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, load(numbers + i));
  for (; i < count; ++i) to[i] = widen(numbers[i]);
}

template <typename Number>
constexpr WeightFormat format(WeightKind kind) noexcept {
  return {kind, 1, sizeof(Number), dot_narrow_rows<Number>, widen_all<Number>};
}

}  // namespace

extern const WeightFormat kFloat16, kBfloat16;
const WeightFormat kFloat16 = format<Float16>(WeightKind::float16);
const WeightFormat kBfloat16 = format<Bfloat16>(WeightKind::bfloat16);

}  // namespace tril::TRIL_ISA
