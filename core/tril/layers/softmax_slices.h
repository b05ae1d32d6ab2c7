// Divides a tensor into slices for softmax and its backward pass: rows where the axis of softmax is
// the last one, else matrices.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/softmax.h>

#include <cmath>

namespace tril::detail {

class SoftmaxSlices {
 public:
  // Throws Error in the name of `call` for an axis that x lacks, and for a temperature out of
  // range.
  SoftmaxSlices(const char* call, const AnyView<const float>& x, const SoftmaxOptions& options)
      : last_(x.shape.rank - 1),
        axis_(options.axis < 0 ? options.axis + x.shape.rank : options.axis),
        scale_(static_cast<float>(1 / options.temperature)) {
    if (axis_ < 0 || axis_ > last_) {
      fail(call, "axis", {options.axis, " is not an axis of x ", x.shape});
    }
    if (!(options.temperature > 0 && std::isnormal(scale_))) {
      fail(call, "temperature", {"must be finite and above 0, is ", options.temperature});
    }
    length_ = x.shape[axis_];
    width_ = along_rows() ? 1 : x.shape[last_];
    count_ = length_ > 0 && width_ > 0 ? 1 : 0;
    for (int other = 0; other < last_; ++other) {
      if (other != axis_) count_ *= x.shape[other];
    }
  }

  int axis() const noexcept { return axis_; }
  bool along_rows() const noexcept { return axis_ == last_; }
  float scale() const noexcept { return scale_; }    // 1 / temperature
  Index length() const noexcept { return length_; }  // elements that softmax runs over
  Index width() const noexcept { return width_; }    // columns side by side, 1 along rows

  // The first element of a slice of `view`, in which all axes are fixed except that of softmax and
  // the last.
  template <typename T>
  T* start(const AnyView<T>& view, Index slice) const noexcept {
    T* start = view.data;
    for (int other = last_ - 1; other >= 0; --other) {
      if (other == axis_) continue;
      start += slice % view.shape[other] * view.strides[other];
      slice /= view.shape[other];
    }
    return start;
  }

  // Calls body(slice) for every slice.
  template <typename Body>
  void for_each(const Context& context, const Body& body) const {
    for_row_ranges(count_, length_ * width_, context, [&](Index first, Index last) {
      for (Index slice = first; slice < last; ++slice) body(slice);
    });
  }

 private:
  int last_;  // the last axis
  int axis_;
  float scale_;
  Index length_, width_, count_;
};

}  // namespace tril::detail
