// Memory for the results that a forward pass saves for its backward pass. The caller owns it, one
// block for a layer, a stack or a model. Functions named *_saved lay it out as views, which the
// forward pass fills as its trace and the backward pass reads.
//
//     Buffer<float, 1> memory;
//     const TransformerBlockTrace saved = saved_in(memory, [&](SavedMemory& place) {
//       return transformer_block_saved(x.shape(), weights, options, place);
//     });
//     transformer_block(x, weights, options, out, context, saved);
//     transformer_block_backward(d_out, x, weights, options, saved, gradients, context);
//
// Every step reuses the same memory. `saved_count` returns its size.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <limits>
#include <string>

namespace tril {

// Hands out a block of floats piece by piece, or only counts them.
class SavedMemory {
 public:
  // Counts only: its views have a shape and no data.
  SavedMemory() noexcept = default;
  // Hands out `memory`, which the caller keeps. Throws Error for a view that cannot be written.
  explicit SavedMemory(const VectorView<float>& memory) : memory_(memory) {
    if (memory) {
      detail::check_layout(detail::view_shape(memory), Empty::allowed, "SavedMemory", "memory");
    }
  }

  // Takes a tensor of these sizes without gaps. It begins on a cache line if the memory does.
  // Throws Error where the memory is too small, or where the floats taken so far cannot be
  // addressed.
  template <typename... Sizes>
  TensorView<float, sizeof...(Sizes)> take(Sizes... sizes) {
    constexpr int kRank = sizeof...(Sizes);
    const Shape<kRank> shape = {sizes...};
    const Index begin =
        add(checked_count(shape.data(), kRank, sizeof(float), "SavedMemory", "shape"));
    return {memory_ ? memory_.data() + begin : nullptr, shape};
  }

  // The number of floats handed out, with the gaps between pieces.
  Index count() const noexcept { return count_; }

 private:
  // Adds `size` floats, rounded up to whole cache lines, and returns where they begin.
  Index add(Index size) {
    constexpr Index kLine = static_cast<Index>(kAlignment / sizeof(float));
    constexpr Index kMost = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(float));
    const Index begin = count_, padded = (size + kLine - 1) / kLine * kLine;
    if (padded > kMost - begin) {
      fail("SavedMemory", "memory", {"more than ", kMost, " floats cannot be addressed"});
    }
    if (memory_ && begin + padded > memory_.size(0)) {
      fail("SavedMemory", "memory",
           {"holds ", memory_.size(0), " floats, and needs at least ", begin + padded});
    }
    count_ = begin + padded;
    return begin;
  }

  VectorView<float> memory_;
  Index count_ = 0;
};

// The number of floats that laid_out(SavedMemory&) takes.
template <typename LaidOut>
Index saved_count(const LaidOut& laid_out) {
  SavedMemory size;
  laid_out(size);
  return size.count();
}

// Calls laid_out(SavedMemory&) on `memory` and returns its result. Where `memory` is too small it
// is freed and replaced by a block of the needed size; else it is reused. Throws Error as
// SavedMemory does, before `memory` is changed.
template <typename LaidOut>
auto saved_in(Buffer<float, 1>& memory, const LaidOut& laid_out) {
  const Index count = std::max<Index>(saved_count(laid_out), 1);
  if (!memory.data() || count > memory.shape()[0]) {
    memory = {};
    memory = Buffer<float, 1>({count});
  }
  SavedMemory place(memory);
  return laid_out(place);
}

namespace detail {

// A view that has a shape and no elements to read, for measuring memory.
template <int Rank>
TensorView<const float, Rank> view_of_shape(const Shape<Rank>& shape) noexcept {
  static constexpr float kNothing = 0;
  Shape<Rank> strides{};
  strides[Rank - 1] = 1;
  return {&kNothing, shape, strides};
}

}  // namespace detail

}  // namespace tril
