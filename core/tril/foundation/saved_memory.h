// What a forward pass leaves for its backward pass lies in memory of the caller, one block for a
// layer, a stack or a model. Functions named *_saved lay it out: views for the forward pass to
// fill, as its trace, and for the backward pass to read.
//
//     Buffer<float, 1> memory;
//     const TransformerBlockTrace saved = saved_in(memory, [&](SavedMemory& place) {
//       return transformer_block_saved(x.shape(), weights, options, place);
//     });
//     transformer_block(x, weights, options, out, context, saved);
//     transformer_block_backward(d_out, x, weights, options, saved, gradients, context);
//
// The same memory serves every step. `saved_count` says how much of it there must be.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <limits>
#include <string>

namespace tril {

// Hands out a block of floats piece by piece, or counts how many would be handed out.
class SavedMemory {
 public:
  // Counts: the views that it gives have a shape, and no data.
  SavedMemory() noexcept = default;
  // Hands out `memory`, which stays the caller's. Throws Error for a view that cannot be written.
  explicit SavedMemory(const VectorView<float>& memory) : memory_(memory) {
    if (memory) check_view(memory, "SavedMemory", "memory", Empty::allowed);
  }

  // A tensor of these sizes without gaps, on a cache line of its own where the memory begins on
  // one. Throws Error where the memory is too small, or where no memory could hold what has been
  // taken.
  template <typename... Sizes>
  TensorView<float, sizeof...(Sizes)> take(Sizes... sizes) {
    constexpr int kRank = sizeof...(Sizes);
    const Shape<kRank> shape = {sizes...};
    const Index begin =
        add(checked_count(shape.data(), kRank, sizeof(float), "SavedMemory", "shape"));
    return {memory_ ? memory_.data() + begin : nullptr, shape};
  }

  // Floats that have been handed out, the gaps between pieces included.
  Index count() const noexcept { return count_; }

 private:
  // Where the next so many floats begin, which take whole lines.
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

// Floats that laid_out(SavedMemory&) takes.
template <typename LaidOut>
Index saved_count(const LaidOut& laid_out) {
  SavedMemory size;
  laid_out(size);
  return size.count();
}

// What laid_out(SavedMemory&) gives, in `memory`: what that holds is overwritten where it is large
// enough, else it is replaced by as much as is needed, and freed before that is asked for. Throws
// Error as SavedMemory does, before `memory` is touched.
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

// A view that stands for its shape alone, where memory is only measured: none of its elements is
// looked at.
template <int Rank>
TensorView<const float, Rank> view_of_shape(const Shape<Rank>& shape) noexcept {
  static constexpr float kNothing = 0;
  Shape<Rank> strides{};
  strides[Rank - 1] = 1;
  return {&kNothing, shape, strides};
}

}  // namespace detail

}  // namespace tril
