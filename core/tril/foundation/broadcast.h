// NumPy's broadcasting: shapes are laid over each other from the last axis back, and an axis of
// size 1, or one that is not there, is repeated.
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
  int rank = 0;  // how many axes
  // Along each axis; those from rank on mean nothing.
  std::array<Index, detail::kMostAxes> sizes{};

  // Along one axis, which is not checked.
  Index operator[](int axis) const noexcept { return sizes[static_cast<std::size_t>(axis)]; }
  // The same, to be set.
  Index& operator[](int axis) noexcept { return sizes[static_cast<std::size_t>(axis)]; }
  // The sizes alone.
  operator std::span<const Index>() const noexcept {
    return {sizes.data(), static_cast<std::size_t>(rank)};
  }
  // Equal rank and sizes.
  friend bool operator==(const AnyShape& a, const AnyShape& b) noexcept {
    return a.rank == b.rank &&
           std::equal(a.sizes.begin(), a.sizes.begin() + a.rank, b.sizes.begin());
  }
};

// "[2, 3]"
inline std::string shape_text(const AnyShape& shape) {
  return shape_text(shape.sizes.data(), shape.rank);
}

// The shape that both are repeated to; none where a size is neither 1 nor the other's.
std::optional<AnyShape> broadcast_shape(const AnyShape& a, const AnyShape& b) noexcept;

// The same; throws Error, in the name of `call` and of `y`, where there is none.
AnyShape broadcast_shape(const AnyShape& x, const AnyShape& y, const char* call);

// A view whose rank is known only when the program runs. Made of a view, of a buffer, of elements
// and a shape, or of one number, which is a tensor without axes and must outlive it.
template <typename T>
struct AnyView {
  T* data = nullptr;   // the first element
  AnyShape shape{};    // elements along each axis
  AnyShape strides{};  // from one to the next along each axis, in elements

  // No tensor.
  constexpr AnyView() noexcept = default;
  // Of a view.
  template <typename U, int Rank, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  AnyView(const TensorView<U, Rank>& view) noexcept : data(view.data()) {
    static_assert(Rank <= detail::kMostAxes);
    shape.rank = strides.rank = Rank;
    std::copy(view.shape().begin(), view.shape().end(), shape.sizes.begin());
    std::copy(view.strides().begin(), view.strides().end(), strides.sizes.begin());
  }
  // Of all of a buffer.
  template <typename U, int Rank>
  AnyView(Buffer<U, Rank>& buffer) noexcept : AnyView(buffer.view()) {}
  // Of all of a buffer, to be read.
  template <typename U, int Rank>
  AnyView(const Buffer<U, Rank>& buffer) noexcept : AnyView(buffer.view()) {}
  // Of elements without gaps, in row-major order.
  AnyView(T* first, const AnyShape& sizes) noexcept : data(first), shape(sizes), strides(sizes) {
    Index stride = 1;
    for (int axis = sizes.rank; axis-- > 0;) {
      strides[axis] = stride;
      stride = detail::wrapping_product(stride, sizes[axis]);
    }
  }
  // Of one number.
  AnyView(T& number) noexcept : data(&number) {}

  // What may be written may be read.
  operator AnyView<const T>() const noexcept requires(!std::is_const_v<T>) {
    AnyView<const T> view;
    view.data = data, view.shape = shape, view.strides = strides;
    return view;
  }

  // As the checks take it.
  operator detail::ViewShape() const noexcept {
    return {data,       shape.sizes.data(), strides.sizes.data(),
            shape.rank, sizeof(T),          !std::is_const_v<T>};
  }
};

// As for views of a fixed rank, but that axes of length 0 are allowed.
template <typename T>
void check_view(const AnyView<T>& view, const char* call, const char* argument) {
  detail::check_view(view, Empty::allowed, call, argument);
}

// check_view, and the shape must be exactly `expected`; `why` says where that comes from, with
// shapes.
template <typename T>
void check_shape(const AnyView<T>& view, const AnyShape& expected, const char* call,
                 const char* argument, const Message& why) {
  check_view(view, call, argument);
  if (view.shape == expected) return;
  fail(call, argument, {"shape must be ", expected, ", is ", view.shape, "; ", why});
}

// The same as check_view for a call that reads no rows: the last axis may have any stride, as in a
// transposed view, or repeat one element.
template <typename T>
void check_strided(const AnyView<T>& view, const char* call, const char* argument) {
  detail::ViewShape shape = view;
  shape.strided = true;
  detail::check_view(shape, Empty::allowed, call, argument);
}

}  // namespace tril
