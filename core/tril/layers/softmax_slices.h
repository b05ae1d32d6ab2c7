// How softmax and its backward cut a tensor: along the axis of softmax, row by row where that is
// the last one, else matrix by matrix.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/softmax.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tril::detail {

template <int Rank>
class SoftmaxSlices {
 public:
  // Throws Error in the name of `call` for an axis that x has not, and for a bad temperature.
  SoftmaxSlices(const char* call, const TensorView<const float, Rank>& x,
                const SoftmaxOptions& options)
      : axis_(options.axis < 0 ? options.axis + Rank : options.axis),
        scale_(static_cast<float>(1 / options.temperature)) {
    if (options.axis < -Rank || options.axis >= Rank) {
      fail(call, "axis", {options.axis, " is not an axis of x ", x});
    }
    if (!(options.temperature > 0 && std::isnormal(scale_))) {
      fail(call, "temperature", {"must be finite and above 0, is ", options.temperature});
    }
    length_ = x.size(axis_);
    width_ = along_rows() ? 1 : x.size(Rank - 1);
    count_ = x.count() == 0 ? 0 : x.count() / (length_ * width_);
  }

  int axis() const noexcept { return axis_; }
  bool along_rows() const noexcept { return axis_ == Rank - 1; }
  float scale() const noexcept { return scale_; }    // 1 / temperature
  Index length() const noexcept { return length_; }  // elements that softmax runs over
  Index width() const noexcept { return width_; }    // columns side by side, 1 along rows

  // Where a slice of `view` begins: every axis but that of softmax and the last is fixed.
  template <typename T>
  T* start(const TensorView<T, Rank>& view, Index slice) const noexcept {
    T* start = view.data();
    for (int other = Rank - 2; other >= 0; --other) {
      if (other == axis_) continue;
      start += slice % view.size(other) * view.stride(other);
      slice /= view.size(other);
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
  int axis_;
  float scale_;
  Index length_, width_, count_;
};

}  // namespace tril::detail
