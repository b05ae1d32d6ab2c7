// Parts of tensors: slices and equal sections, as views.
#include <tril/foundation/check.h>
#include <tril/layers/shapes.h>
#include <tril/layers/unchecked.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tril {
namespace {

using detail::axis_of;

// The first selected element of an axis of `size`, the number of elements, and the step.
struct Range {
  Index first, count, step;
};

// The range of a slice by Python's rule.
Range range_of(const Slice& slice, Index size, int axis, const AnyShape& shape, const char* call) {
  const auto from_front = [&](Index index) { return index < 0 ? index + size : index; };
  if (slice.is_one) {
    const Index index = slice.start.value_or(0);
    if (index < -size || index >= size) {
      fail(call, "ranges", {"axis ", axis, " has no element ", index, "; x is ", shape});
    }
    return {from_front(index), 1, 1};
  }
  const Index step = slice.step;
  if (step == 0) fail(call, "ranges", {"the step of axis ", axis, " is 0; x is ", shape});
  const Index lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  const auto bound = [&](const std::optional<Index>& given, Index otherwise) {
    return given ? std::clamp(from_front(*given), lowest, highest) : otherwise;
  };
  const Index first = bound(slice.start, step > 0 ? lowest : highest);
  const Index last = bound(slice.stop, step > 0 ? highest : lowest);
  const Index distance = step > 0 ? last - first : first - last;
  if (distance <= 0) return {0, 0, 1};
  // A step beyond the axis selects one element; the lowest number has no absolute value.
  const Index stride = step > 0 ? step : -std::max(step, -std::numeric_limits<Index>::max());
  const Index count = (distance - 1) / stride + 1;
  return {first, count, count > 1 ? step : 1};
}

}  // namespace

AnyView<const float> slice(const AnyView<const float>& x, std::span<const Slice> slices,
                           const char* call) {
  check_strided(x, call, "x");
  const auto given = static_cast<int>(slices.size());
  if (given > x.shape.rank) {
    fail(call, "ranges", {"are ", given, ", more than there are axes; x is ", x.shape});
  }
  static constexpr Slice kAll{};
  AnyView<const float> view = x;
  view.shape.rank = 0;
  for (int axis = 0; axis < x.shape.rank; ++axis) {
    const Slice& slice = axis < given ? slices[static_cast<std::size_t>(axis)] : kAll;
    const Range range = range_of(slice, x.shape[axis], axis, x.shape, call);
    view.data += range.first * x.strides[axis];
    if (slice.is_one) continue;
    view.shape[view.shape.rank] = range.count;
    view.strides[view.shape.rank++] = range.step * x.strides[axis];
  }
  view.strides.rank = view.shape.rank;
  return view;
}

AnyView<const float> slice_axis(const AnyView<const float>& x, Index axis, const Slice& slice,
                                const char* call) {
  check_strided(x, call, "x");
  const auto place = static_cast<std::size_t>(axis_of(axis, x.shape, call));
  std::array<Slice, detail::kMostAxes> slices{};
  slices[place] = slice;
  return tril::slice(x, std::span(slices).first(place + 1), call);
}

void slice_backward(const AnyView<const float>& d_out, std::span<const Slice> slices,
                    const AnyView<float>& d_x, const Context& context) {
  constexpr const char* kCall = "slice_backward";
  check_strided(d_out, kCall, "d_out");
  check_strided(d_x, kCall, "d_x");
  const AnyView<const float> part = slice(d_x, slices, kCall);
  AnyView<float> taken = d_x;  // the same part, for writing
  taken.data += part.data - d_x.data;
  taken.shape = part.shape, taken.strides = part.strides;
  if (d_out.shape != taken.shape) {
    fail(kCall, "d_out", {"shape must be that of the slice, ", taken.shape, ", is ", d_out.shape});
  }
  check_no_overlap(d_x, d_out, kCall, "d_x");
  detail::run_copy(0.0f, d_x, context);
  detail::run_copy(d_out, taken, context);
}

AnyView<const float> section(const AnyView<const float>& x, Index axis, Index index,
                             Index sections) {
  constexpr const char* kCall = "split";
  check_strided(x, kCall, "x");
  const int place = axis_of(axis, x.shape, kCall);
  const Index size = x.shape[place];
  if (sections < 1 || size % sections != 0 || sections > std::max<Index>(1, size)) {
    fail(kCall, "sections",
         {"axis ", place, " cannot be split into ", sections, " equal parts; x is ", x.shape});
  }
  if (index < 0 || index >= sections) fail(kCall, "index", {"there is no part ", index});
  const Index length = size / sections;
  return slice_axis(x, place, {.start = index * length, .stop = (index + 1) * length}, kCall);
}

}  // namespace tril
