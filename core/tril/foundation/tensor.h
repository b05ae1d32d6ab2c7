// Views of tensors with another owner: a pointer, a shape, and for each axis the stride, which is
// the distance between neighbours.
//
// The last axis is contiguous; the others may have any stride. So a part of a tensor, or the heads
// inside a [T, H*D] projection (strides {D, H*D, 1}), is a view, too, and needs no copy. A stride
// of 0 repeats one slice along its axis; such a view can only be read.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tril {

// Sizes, strides and positions.
using Index = std::ptrdiff_t;

// The sizes of the axes, outermost first.
template <int Rank>
using Shape = std::array<Index, static_cast<std::size_t>(Rank)>;

namespace detail {

// The product of sizes as a double, which cannot overflow: with an Index of 32 bits 65536 * 65536
// is 0.
template <typename... Sizes>
constexpr double times(Sizes... sizes) noexcept {
  return (static_cast<double>(sizes) * ... * 1.0);
}

// Maximum number of axes of a tensor that is checked or broadcast.
inline constexpr int kMostAxes = 8;

// Multiplies as unsigned numbers, which wrap: a shape too large for memory, or a view that repeats
// its elements, may have more elements than an Index counts.
constexpr Index wrapping_product(Index a, Index b) noexcept {
  return static_cast<Index>(static_cast<std::size_t>(a) * static_cast<std::size_t>(b));
}

}  // namespace detail

// The strides, in elements, of a tensor without gaps.
template <int Rank>
constexpr Shape<Rank> contiguous_strides(const Shape<Rank>& shape) noexcept {
  Shape<Rank> strides{};
  Index stride = 1;
  for (std::size_t axis = Rank; axis-- > 0;) {
    strides[axis] = stride;
    stride = detail::wrapping_product(stride, shape[axis]);
  }
  return strides;
}

// Borrows its elements: copying a view copies none.
template <typename T, int Rank>
class TensorView {
  static_assert(Rank >= 1);

 public:
  // No tensor: data() is null. Means that an optional argument is not given.
  constexpr TensorView() noexcept = default;

  // A view of a tensor without gaps.
  constexpr TensorView(T* data, const Shape<Rank>& shape) noexcept
      : TensorView(data, shape, contiguous_strides<Rank>(shape)) {}

  // Strides are in elements; the last one must be 1.
  constexpr TensorView(T* data, const Shape<Rank>& shape, const Shape<Rank>& strides) noexcept
      : data_(data), shape_(shape), strides_(strides) {}

  // A view for writing converts to one for reading.
  template <typename U = T, typename = std::enable_if_t<!std::is_const_v<U>>>
  constexpr operator TensorView<const U, Rank>() const noexcept {
    return {data_, shape_, strides_};
  }

  constexpr T* data() const noexcept { return data_; }  // the first element
  // Whether there is a tensor.
  constexpr explicit operator bool() const noexcept { return data_ != nullptr; }
  constexpr const Shape<Rank>& shape() const noexcept { return shape_; }      // elements per axis
  constexpr const Shape<Rank>& strides() const noexcept { return strides_; }  // in elements
  // The size of an axis, which is not checked.
  constexpr Index size(int axis) const noexcept { return shape_[static_cast<std::size_t>(axis)]; }
  // The stride of an axis, which is not checked.
  constexpr Index stride(int axis) const noexcept {
    return strides_[static_cast<std::size_t>(axis)];
  }
  // The number of elements.
  constexpr Index count() const noexcept {
    Index product = 1;
    for (const Index size : shape_) product = detail::wrapping_product(product, size);
    return product;
  }
  // Whether the elements have no gaps between them.
  constexpr bool is_contiguous() const noexcept {
    return strides_ == contiguous_strides<Rank>(shape_);
  }

  // Fixes the index of the first axis: a view of one rank less, or the element itself. `i` is not
  // checked.
  constexpr decltype(auto) operator[](Index i) const noexcept {
    if constexpr (Rank == 1) {
      return static_cast<T&>(data_[i]);
    } else {
      Shape<Rank - 1> shape{}, strides{};
      for (std::size_t axis = 1; axis < Rank; ++axis) {
        shape[axis - 1] = shape_[axis];
        strides[axis - 1] = strides_[axis];
      }
      return TensorView<T, Rank - 1>(data_ + i * strides_[0], shape, strides);
    }
  }

 private:
  T* data_ = nullptr;
  Shape<Rank> shape_{};
  Shape<Rank> strides_{};
};

// A tensor of one axis.
template <typename T>
using VectorView = TensorView<T, 1>;

// A tensor of two axes.
template <typename T>
using MatrixView = TensorView<T, 2>;

// "[2, 3]", as error messages write a shape.
std::string shape_text(const Index* shape, int rank);
template <int Rank>
std::string shape_text(const Shape<Rank>& shape) {
  return shape_text(shape.data(), Rank);
}
template <typename T, int Rank>
std::string shape_text(const TensorView<T, Rank>& view) {
  return shape_text(view.shape().data(), Rank);
}

}  // namespace tril
