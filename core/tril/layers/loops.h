// Loops over several views that broadcast to one shape.
#pragma once

#include <tril/foundation/broadcast.h>

#include <array>
#include <initializer_list>

namespace tril::detail {

// Maximum number of views: the result and three inputs.
inline constexpr std::size_t kMostOperands = 4;

// The stride of each view, in elements.
using Steps = std::array<Index, kMostOperands>;

// An axis: its size and the stride of each view, 0 where an element is repeated.
struct LoopAxis {
  Index size = 1;
  Steps steps{};

  // Whether this axis and `inner`, the next one inside it, can be merged into one axis with the
  // strides of `inner`.
  bool continues(const LoopAxis& inner) const noexcept;
};

// The loops, outermost first. Axes of size 1 are dropped, and contiguous axes are merged.
class Loops {
 public:
  // There are at most kMostOperands views, and each has been checked to broadcast to `shape`.
  Loops(const AnyShape& shape, std::initializer_list<AnyView<const float>> views) noexcept;

  // The innermost axis, whose elements are a row; an axis of one element where there are no axes.
  LoopAxis inner() const noexcept { return depth_ > 0 ? axes_[depth_ - 1] : LoopAxis{}; }
  // The number of rows.
  Index rows() const noexcept;
  // The same loops with rows of a single element.
  Loops over_elements() const noexcept;

 private:
  friend class LoopOffsets;

  std::size_t depth_ = 0;
  std::array<LoopAxis, kMostAxes + 1> axes_{};
};

// The offset of the current row in each view.
class LoopOffsets {
 public:
  LoopOffsets(const Loops& loops, Index row) noexcept;

  void next_row() noexcept;
  // The offset from the first element of view number `view`.
  Index operator[](std::size_t view) const noexcept { return offsets_[view]; }

 private:
  void step(std::size_t axis, Index by) noexcept;

  const Loops& loops_;
  std::array<Index, kMostAxes> index_{};
  Steps offsets_{};
};

}  // namespace tril::detail
