// NumPy's broadcasting: shapes are aligned at the last axis, and an axis of size 1, or a missing
// axis, is repeated.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tril {

// A shape, or strides, whose rank is known only when the program runs.
struct AnyShape {
  int rank = 0;  // number of axes
  // Sizes along each axis; elements from rank on mean nothing.
  std::array<Index, detail::kMostAxes> sizes{};

  // The size along one axis, which is not checked.
  Index operator[](int axis) const noexcept { return sizes[static_cast<std::size_t>(axis)]; }
  // The size along one axis, for writing.
  Index& operator[](int axis) noexcept { return sizes[static_cast<std::size_t>(axis)]; }
  // The sizes without the rank.
  operator std::span<const Index>() const noexcept {
    return {sizes.data(), static_cast<std::size_t>(rank)};
  }
  // Compares rank and sizes.
  friend bool operator==(const AnyShape& a, const AnyShape& b) noexcept {
    return a.rank == b.rank &&
           std::equal(a.sizes.begin(), a.sizes.begin() + a.rank, b.sizes.begin());
  }
};

// The text of a shape: "[2, 3]".
inline std::string shape_text(const AnyShape& shape) {
  return shape_text(shape.sizes.data(), shape.rank);
}

// The shape to which both are repeated; none if a size is neither 1 nor the other's size.
std::optional<AnyShape> broadcast_shape(const AnyShape& a, const AnyShape& b) noexcept;

// The shape to which both are repeated. Throws Error, in the name of `call` and of `y`, if there is
// none.
AnyShape broadcast_shape(const AnyShape& x, const AnyShape& y, const char* call);

// A view whose rank is known only when the program runs. It is made of a view, of a buffer, of
// elements and a shape, or of one number, which is a tensor without axes and must outlive the view.
template <typename T>
struct AnyView {
  T* data = nullptr;   // the first element
  AnyShape shape{};    // number of elements along each axis
  AnyShape strides{};  // distance between neighbours along each axis, in elements

  // Makes a null view.
  constexpr AnyView() noexcept = default;
  // Makes the view of a view of fixed rank.
  template <typename U, int Rank, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  AnyView(const TensorView<U, Rank>& view) noexcept : data(view.data()) {
    static_assert(Rank <= detail::kMostAxes);
    shape.rank = strides.rank = Rank;
    std::copy(view.shape().begin(), view.shape().end(), shape.sizes.begin());
    std::copy(view.strides().begin(), view.strides().end(), strides.sizes.begin());
  }
  // Makes the view of a whole buffer.
  template <typename U, int Rank>
  AnyView(Buffer<U, Rank>& buffer) noexcept : AnyView(buffer.view()) {}
  // Makes the view of a whole buffer, for reading.
  template <typename U, int Rank>
  AnyView(const Buffer<U, Rank>& buffer) noexcept : AnyView(buffer.view()) {}
  // Makes the view of elements without gaps, in row-major order.
  AnyView(T* first, const AnyShape& sizes) noexcept : data(first), shape(sizes), strides(sizes) {
    Index stride = 1;
    for (int axis = sizes.rank; axis-- > 0;) {
      strides[axis] = stride;
      stride = detail::wrapping_product(stride, sizes[axis]);
    }
  }
  // Makes the view of one number.
  AnyView(T& number) noexcept : data(&number) {}

  // Converts a view for writing to a view for reading.
  operator AnyView<const T>() const noexcept requires(!std::is_const_v<T>) {
    AnyView<const T> view;
    view.data = data, view.shape = shape, view.strides = strides;
    return view;
  }

  // Converts to the form that the checks take.
  operator detail::ViewShape() const noexcept {
    return {data,       shape.sizes.data(), strides.sizes.data(),
            shape.rank, sizeof(T),          !std::is_const_v<T>};
  }
};

// Checks the view like a view of fixed rank, but allows axes of length 0.
template <typename T>
void check_view(const AnyView<T>& view, const char* call, const char* argument) {
  detail::check_view(view, Empty::allowed, call, argument);
}

// Calls check_view, and throws Error unless the shape is exactly `expected`; `why` says the origin
// of that shape, with shapes.
template <typename T>
void check_shape(const AnyView<T>& view, const AnyShape& expected, const char* call,
                 const char* argument, const Message& why) {
  check_view(view, call, argument);
  if (view.shape == expected) return;
  fail(call, argument, {"shape must be ", expected, ", is ", view.shape, "; ", why});
}

// Checks the view for a call that reads no rows, as check_view: the last axis may have any stride,
// as in a transposed view, or repeat one element.
template <typename T>
void check_strided(const AnyView<T>& view, const char* call, const char* argument) {
  detail::ViewShape shape = view;
  shape.strided = true;
  detail::check_view(shape, Empty::allowed, call, argument);
}

}  // namespace tril
