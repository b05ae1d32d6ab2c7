#include <tril/foundation/check.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/shapes.h>
#include <tril/layers/unchecked.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tril {
namespace {

using detail::axis_of;

AnyShape shape_of(std::span<const Index> sizes, const char* call) {
  if (sizes.size() > detail::kMostAxes) {
    fail(call, "shape", {"at most 8 axes; shape is ", sizes});
  }
  AnyShape shape;
  shape.rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), shape.sizes.begin());
  return shape;
}

// Whether the elements have no gaps; axes of size 1 may have any stride.
bool is_contiguous(const AnyView<const float>& x) noexcept {
  Index stride = 1;
  for (int axis = x.shape.rank; axis-- > 0;) {
    if (x.shape[axis] == 0) return true;
    if (x.shape[axis] != 1 && x.strides[axis] != stride) return false;
    stride *= x.shape[axis];
  }
  return true;
}

// The view of a tensor that join() reads; for stack it has the new axis.
AnyView<const float> part_of(Join how, const AnyView<const float>& tensor, Index axis,
                             const char* call) {
  return how == Join::stack ? insert_axis(tensor, axis, call) : tensor;
}

const char* call_of(Join how) {
  const char* const call = name_of(kJoins, how).data();
  if (!call) fail("join", "how", "is none of concatenate, stack");
  return call;
}

}  // namespace

int detail::axis_of(Index axis, const AnyShape& shape, const char* call, const char* argument) {
  if (axis < -shape.rank || axis >= shape.rank) {
    fail(call, argument, {"there is no axis ", axis, "; shape is ", shape});
  }
  return static_cast<int>(axis < 0 ? axis + shape.rank : axis);
}

detail::AxisSet::AxisSet(std::span<const Index> axes, const AnyShape& shape, const char* call,
                         const char* argument) {
  for (const Index each : axes) {
    const int axis = axis_of(each, shape, call, argument);
    if ((*this)[axis]) fail(call, argument, {"axis ", axis, " is named twice; shape is ", shape});
    insert(axis);
  }
}

AnyView<const float> transpose(const AnyView<const float>& x, std::span<const Index> axes) {
  constexpr const char* kCall = "transpose";
  check_strided(x, kCall, "x");
  if (axes.size() != static_cast<std::size_t>(x.shape.rank)) {
    fail(kCall, "axes", {"must name every axis once, are ", axes, "; x is ", x.shape});
  }
  const detail::AxisSet named(axes, x.shape, kCall, "axes");
  AnyView<const float> view = x;
  for (int i = 0; i < x.shape.rank; ++i) {
    const int axis = axis_of(axes[static_cast<std::size_t>(i)], x.shape, kCall);
    view.shape[i] = x.shape[axis];
    view.strides[i] = x.strides[axis];
  }
  return view;
}

AnyView<const float> broadcast_to(const AnyView<const float>& x, std::span<const Index> sizes) {
  constexpr const char* kCall = "broadcast_to";
  check_strided(x, kCall, "x");
  const AnyShape shape = shape_of(sizes, kCall);
  checked_count(shape.sizes.data(), shape.rank, sizeof(float), kCall, "shape");
  if (broadcast_shape(x.shape, shape) != shape) {
    fail(kCall, "shape", {"x does not broadcast to ", shape, "; x is ", x.shape});
  }
  AnyView<const float> view = x;
  view.shape = shape;
  view.strides.rank = shape.rank;
  for (int axis = 0; axis < shape.rank; ++axis) {
    const int own = axis - (shape.rank - x.shape.rank);
    view.strides[axis] = own < 0 || x.shape[own] != shape[axis] ? 0 : x.strides[own];
  }
  return view;
}

AnyView<const float> insert_axis(const AnyView<const float>& x, Index axis, const char* call) {
  if (x.shape.rank == detail::kMostAxes) {
    fail(call, "axis", {"there would be more than 8 axes; x is ", x.shape});
  }
  AnyShape shape = x.shape;
  shape[shape.rank++] = 1;
  AnyView<const float> view = x;
  view.shape.rank = view.strides.rank = shape.rank;
  const int place = axis_of(axis, shape, call);
  for (int i = x.shape.rank; i > place; --i) {
    view.shape[i] = x.shape[i - 1];
    view.strides[i] = x.strides[i - 1];
  }
  view.shape[place] = view.strides[place] = 1;
  return view;
}

AnyView<const float> reshape(const AnyView<const float>& x, std::span<const Index> sizes) {
  constexpr const char* kCall = "reshape";
  check_strided(x, kCall, "x");
  AnyShape shape = shape_of(sizes, kCall);
  const auto count_of = [&](const AnyShape& of) {
    return checked_count(of.sizes.data(), of.rank, sizeof(float), kCall, "shape");
  };
  const Index count = count_of(x.shape);
  const auto rest = std::find(shape.sizes.begin(), shape.sizes.begin() + shape.rank, -1);
  if (rest != shape.sizes.begin() + shape.rank) {
    *rest = 1;
    const Index others = count_of(shape);
    if (others == 0) fail(kCall, "shape", {"-1 could be any size; shape is ", sizes});
    *rest = count / others;
  }
  if (count_of(shape) != count) {
    fail(kCall, "shape", {"cannot be ", sizes, " of ", count, " elements; x is ", x.shape});
  }
  if (!is_contiguous(x)) fail(kCall, "x", {"must have no gaps: copy it; shape is ", x.shape});
  return {x.data, shape};
}

AnyShape joined_shape(Join how, std::span<const AnyView<const float>> tensors, Index axis) {
  const char* const call = call_of(how);
  if (tensors.empty()) fail(call, "tensors", "must be at least one");
  AnyShape shape;
  int along = 0;
  for (const AnyView<const float>& each : tensors) {
    check_strided(each, call, "tensors");
    const AnyShape part = part_of(how, each, axis, call).shape;
    if (&each == tensors.data()) {
      shape = part;
      along = axis_of(axis, shape, call);
      continue;
    }
    AnyShape fitting = part;
    if (part.rank == shape.rank) fitting[along] = shape[along];
    if (fitting != shape || (how == Join::stack && each.shape != tensors[0].shape)) {
      fail(call, "tensors",
           {"number ", &each - tensors.data(), " does not fit the first, ", tensors[0].shape,
            "; shape is ", each.shape});
    }
    if (__builtin_add_overflow(shape[along], part[along], &shape[along])) {
      fail(call, "tensors", {"too large to address: ", tensors.size(), " of ", each.shape});
    }
  }
  checked_count(shape.sizes.data(), shape.rank, sizeof(float), call, "tensors");
  return shape;
}

void join(Join how, std::span<const AnyView<const float>> tensors, Index axis,
          const AnyView<float>& out, const Context& context) {
  const char* const call = call_of(how);
  const AnyShape shape = joined_shape(how, tensors, axis);
  check_strided(out, call, "out");
  if (out.shape != shape) fail(call, "out", {"shape must be ", shape, ", is ", out.shape});
  for (const AnyView<const float>& each : tensors) check_no_overlap(out, each, call, "out");
  const int along = axis_of(axis, shape, call);
  AnyView<float> part = out;
  for (const AnyView<const float>& each : tensors) {
    const AnyView<const float> from = part_of(how, each, axis, call);
    part.shape = from.shape;
    detail::run_copy(from, part, context);
    part.data += from.shape[along] * out.strides[along];
  }
}

Index arange_count(double start, double stop, double step) {
  constexpr const char* kCall = "arange";
  const double numbers[] = {start, stop, step};
  constexpr const char* kNames[] = {"start", "stop", "step"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(numbers[i])) fail(kCall, kNames[i], {"must be finite, is ", numbers[i]});
  }
  if (step == 0) fail(kCall, "step", "must not be 0");
  const double count = std::ceil((stop - start) / step);
  if (!(count > 0)) return 0;
  if (count * sizeof(float) > static_cast<double>(std::numeric_limits<Index>::max())) {
    fail(kCall, "stop", {"too large to address: ", count, " numbers"});
  }
  return static_cast<Index>(count);
}

void arange(double start, double step, VectorView<float> out) {
  check_view(out, "arange", "out", Empty::allowed);
  for (Index i = 0; i < out.size(0); ++i) {
    out[i] = static_cast<float>(start + static_cast<double>(i) * step);
  }
}

}  // namespace tril
