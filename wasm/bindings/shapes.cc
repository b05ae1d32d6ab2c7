// Changes of shape. A tensor of JavaScript owns its memory, so each function copies the elements of
// the core's view.
#include <emscripten/bind.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "any_view.h"
#include "guard.h"
#include "output.h"

namespace tril::js {

EMSCRIPTEN_DECLARE_VAL_TYPE(TensorList)  // _Tensor[]

std::vector<Index> indices_from(const Numbers& numbers) {
  std::vector<Index> indices;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  for (const double each : emscripten::convertJSArrayToNumberVector<double>(numbers)) {
    indices.push_back(std::isnan(each) ? 0 : static_cast<Index>(std::clamp(each, -kMost, kMost)));
  }
  return indices;
}

namespace {

// Copies a view to a tensor. Throws Error if the view shares memory with `out`.
TensorHandle copied(Engine& engine, const AnyView<const float>& view, Tensor* out,
                    const char* call) {
  const Output output(engine, out, dynamic_shape(view.shape), call);
  const AnyView<float> to(output->data(), view.shape);
  check_no_overlap(to, view, call, "out");
  tril::copy(view, to, engine.context);
  return output.handle();
}

// Reads three numbers per axis: start, stop and step. NaN means not given; without a step, a single
// element is taken.
std::vector<Slice> slices_from(const Numbers& numbers) {
  const auto values = emscripten::convertJSArrayToNumberVector<double>(numbers);
  const std::vector<Index> indices = indices_from(numbers);
  const auto given = [&](std::size_t i) {
    return std::isnan(values[i]) ? std::optional<Index>() : indices[i];
  };
  std::vector<Slice> slices;
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
    slices.push_back({.start = given(i),
                      .stop = given(i + 1),
                      .step = given(i + 2).value_or(1),
                      .is_one = std::isnan(values[i + 2])});
  }
  return slices;
}

TensorHandle reshape(Engine& engine, const Tensor& x, const Numbers& sizes, Tensor* out) {
  const std::vector<Index> shape = indices_from(sizes);
  return copied(engine, tril::reshape(any_view(x, "reshape", "x"), shape), out, "reshape");
}

TensorHandle broadcast_to(Engine& engine, const Tensor& x, const Numbers& sizes, Tensor* out) {
  constexpr const char* kCall = "broadcast_to";
  return copied(engine, tril::broadcast_to(any_view(x, kCall, "x"), indices_from(sizes)), out,
                kCall);
}

TensorHandle transpose(Engine& engine, const Tensor& x, const Numbers& axes, Tensor* out) {
  constexpr const char* kCall = "transpose";
  return copied(engine, tril::transpose(any_view(x, kCall, "x"), indices_from(axes)), out, kCall);
}

TensorHandle slice(Engine& engine, const Tensor& x, const Numbers& ranges, Tensor* out) {
  return copied(engine, tril::slice(any_view(x, "slice", "x"), slices_from(ranges)), out, "slice");
}

// Returns the gradient of x, which has the shape `sizes`.
TensorHandle slice_backward(Engine& engine, const Tensor& d_out, const Numbers& sizes,
                            const Numbers& ranges, Tensor* out) {
  constexpr const char* kCall = "slice_backward";
  const AnyShape shape = any_shape(shape_from(sizes), kCall, "shape");
  checked_count(shape.sizes.data(), shape.rank, sizeof(float), kCall, "shape");
  const std::vector<Slice> slices = slices_from(ranges);
  // The view of x, which does not exist yet, gives only the shape; its elements are not read.
  const AnyShape taken = tril::slice({d_out.data(), shape}, slices, kCall).shape;
  if (d_out.shape() != dynamic_shape(taken)) {
    fail(kCall, "d_out",
         {"shape must be that of the slice, ", dynamic_shape(taken), ", is ", d_out});
  }
  const Output output(engine, out, dynamic_shape(shape), kCall);
  const AnyView<float> d_x(output->data(), shape);
  const AnyView<const float> from(d_out.data(), taken);
  check_no_overlap(d_x, from, kCall, "out");
  tril::slice_backward(from, slices, d_x, engine.context);
  return output.handle();
}

// Joins tensors; `name` is "concatenate" or "stack".
TensorHandle join(Engine& engine, const std::string& name, const TensorList& list, int axis,
                  Tensor* out) {
  const char* const call = name.c_str();
  const Join how = value_named(kJoins, name, call, "how");
  std::vector<AnyView<const float>> tensors;
  for (const Tensor* each :
       emscripten::vecFromJSArray<Tensor*>(list, emscripten::allow_raw_pointers())) {
    tensors.push_back(any_view(*each, call, "tensors"));
  }
  const AnyShape shape = joined_shape(how, tensors, axis);
  const Output output(engine, out, dynamic_shape(shape), call);
  tril::join(how, tensors, axis, {output->data(), shape}, engine.context);
  return output.handle();
}

// Splits into `sections` equal parts, or, if `sections` is below 0, before each element of
// `bounds`.
TensorList split(Engine& engine, const Tensor& x, int sections, const Numbers& bounds, int axis) {
  constexpr const char* kCall = "split";
  const AnyView<const float> from = any_view(x, kCall, "x");
  const std::vector<Index> ends = indices_from(bounds);
  const bool is_equal = sections >= 0;
  if (is_equal) section(from, axis, 0, sections);  // throws if x has no such sections
  const std::size_t count = is_equal ? static_cast<std::size_t>(sections) : ends.size() + 1;
  std::vector<TensorHandle> parts;
  for (std::size_t i = 0; i < count; ++i) {
    Slice slice;
    if (!is_equal && i > 0) slice.start = ends[i - 1];
    if (!is_equal && i < ends.size()) slice.stop = ends[i];
    const AnyView<const float> part = is_equal
                                          ? section(from, axis, static_cast<Index>(i), sections)
                                          : slice_axis(from, axis, slice, kCall);
    parts.push_back(copied(engine, part, nullptr, kCall));
  }
  auto list = emscripten::val::array();
  for (const TensorHandle& part : parts) list.call<void>("push", part);
  return TensorList(list);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_shapes) {
  using namespace emscripten;
  emscripten::register_type<TensorList>("_Tensor[]");
  function("_reshape", guard<&reshape>, allow_raw_pointers());
  function("_broadcastTo", guard<&broadcast_to>, allow_raw_pointers());
  function("_transpose", guard<&transpose>, allow_raw_pointers());
  function("_slice", guard<&slice>, allow_raw_pointers());
  function("_sliceBackward", guard<&slice_backward>, allow_raw_pointers());
  function("_join", guard<&join>, allow_raw_pointers());
  function("_split", guard<&split>, allow_raw_pointers());
}

}  // namespace tril::js
