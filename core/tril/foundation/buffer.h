// A tensor that owns its memory: aligned for the widest registers, zero at the start, movable.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace tril {

// Owns the elements that its views borrow; its shape is fixed.
template <typename T, int Rank>
class Buffer {
 public:
  // An empty buffer, without memory.
  Buffer() noexcept = default;

  // A tensor of zeros. Throws Error for an axis below 0 or a size that can't be addressed,
  // OutOfMemory where there is not enough memory.
  explicit Buffer(const Shape<Rank>& shape)
      : shape_(shape),
        memory_(static_cast<std::size_t>(
                    checked_count(shape.data(), Rank, sizeof(T), "Buffer", "shape")) *
                    sizeof(T),
                "Buffer", {"a tensor of shape ", shape, " takes"}) {
    std::fill_n(data(), view().count(), T{});
  }

  // The elements, row-major and without gaps; null in an empty buffer.
  T* data() noexcept { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const noexcept { return reinterpret_cast<const T*>(memory_.data()); }
  // A view of all elements, valid as long as the buffer.
  TensorView<T, Rank> view() noexcept { return {data(), shape_}; }
  TensorView<const T, Rank> view() const noexcept { return {data(), shape_}; }
  // Lets a buffer be passed where a view is expected.
  operator TensorView<T, Rank>() noexcept { return view(); }
  operator TensorView<const T, Rank>() const noexcept { return view(); }
  // The sizes of the axes.
  const Shape<Rank>& shape() const noexcept { return shape_; }

 private:
  Shape<Rank> shape_{};
  AlignedMemory memory_;
};

namespace detail {

// The rank of a view or a buffer of floats; 0 for other types.
template <typename X>
inline constexpr int kRankOf = 0;
template <int Rank>
inline constexpr int kRankOf<TensorView<float, Rank>> = Rank;
template <int Rank>
inline constexpr int kRankOf<TensorView<const float, Rank>> = Rank;
template <int Rank>
inline constexpr int kRankOf<Buffer<float, Rank>> = Rank;

// A new buffer of this shape, filled by compute(its view).
template <std::size_t Rank, typename Compute>
Buffer<float, static_cast<int>(Rank)> new_buffer(const std::array<Index, Rank>& shape,
                                                 const Compute& compute) {
  Buffer<float, static_cast<int>(Rank)> out(shape);
  compute(out.view());
  return out;
}

}  // namespace detail

// A view or a buffer of floats, of a rank known from its type.
template <typename X>
concept FloatTensor = (detail::kRankOf<X> > 0);

// A buffer of the same rank.
template <FloatTensor X>
using BufferLike = Buffer<float, detail::kRankOf<X>>;

}  // namespace tril
