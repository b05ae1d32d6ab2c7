#include <tril/matmul/weight.h>

#include <span>

namespace tril {
namespace {

// The bytes of a weight, row by row.
MatrixView<const std::byte> bytes_of(const Weight& weight) noexcept {
  const auto row = static_cast<Index>(weight.format()->row_bytes(weight.size(1)));
  return {weight.row(0), {weight.size(0), row}};
}

// A view with the shape of a weight and without gaps, which is not read.
MatrixView<const std::byte> shape_of(const Weight& weight) noexcept {
  return {weight.row(0), weight.shape()};
}

}  // namespace

Weight::Weight(const MatrixView<const float>& floats, const PackedMatrix& packed) : Weight(floats) {
  const Shape<2> shape = {packed.depth(), packed.cols()};
  if (!packed || shape != Shape<2>{size(1), size(0)}) {
    fail("Weight", "packed", {shape, " is not the shape of the transpose of ", *this});
  }
  packed_.matrix = &packed;
}

void Weight::widen(Index row, Index first, Index count, float* to) const noexcept {
  if (format_) return format_->widen(this->row(row), first, count, to);
  const float* const from = floats_of(shape_)[row].data() + first;
  for (Index i = 0; i < count; ++i) to[i] = from[i];
}

void check_view(const Weight& weight, const char* call, const char* argument, Empty empty) {
  if (weight.format()) return check_view(shape_of(weight), call, argument, empty);
  check_view(weight.floats(), call, argument, empty);
}

void check_shape(const Weight& weight, const Shape<2>& expected, const char* call,
                 const char* argument, const Message& why) {
  if (weight.format()) return check_shape(shape_of(weight), expected, call, argument, why);
  check_shape(weight.floats(), expected, call, argument, why);
}

MemoryRange memory_range(const Weight& weight) noexcept {
  return weight.format() ? memory_range(bytes_of(weight)) : memory_range(weight.floats());
}

void detail::check_no_overlap(const ViewShape& out, const Weight& weight, const char* call,
                              const char* argument) {
  if (!weight.format()) {
    return check_no_overlap(out, view_shape(weight.floats()), call, argument);
  }
  if (!out.data || !memory_range(out).overlaps(tril::memory_range(weight))) return;
  const std::span<const Index> shape(out.shape, static_cast<std::size_t>(out.rank));
  fail(call, argument, {"shares memory with an input; shapes ", shape, " and ", weight});
}

void check_floats(const Weight& weight, const char* call, const char* argument) {
  if (!weight.format()) return;
  fail(call, argument, {"must be float32, is ", name_of(kWeightKinds, weight.kind())});
}

const WeightFormat& float16_format(Isa isa);
const WeightFormat& bfloat16_format(Isa isa);
const WeightFormat& q8_0_format(Isa isa);

TRIL_DEFINE_DISPATCH(WeightFormat, kFloat16, float16_format)
TRIL_DEFINE_DISPATCH(WeightFormat, kBfloat16, bfloat16_format)
TRIL_DEFINE_DISPATCH(WeightFormat, kQ8_0, q8_0_format)

const WeightFormat& weight_format(WeightKind kind, Isa isa) {
  if (kind == WeightKind::float16) return float16_format(isa);
  if (kind == WeightKind::bfloat16) return bfloat16_format(isa);
  return q8_0_format(isa);
}

}  // namespace tril
