// Loops over several views at once that broadcast to one shape.
#pragma once

#include <tril/foundation/broadcast.h>

#include <array>
#include <initializer_list>

namespace tril::detail {

// The result and three inputs.
inline constexpr std::size_t kMostOperands = 4;

// How far it is, in elements, in each of the views.
using Steps = std::array<Index, kMostOperands>;

// An axis: how many elements, and how far the next one is, 0 where one element is repeated.
struct LoopAxis {
  Index size = 1;
  Steps steps{};

  // Whether this axis, outside of `inner`, goes on where that ends.
  bool continues(const LoopAxis& inner) const noexcept;
};

// Outermost first: axes of size 1 are left out, axes that are one long row joined.
class Loops {
 public:
  // The views, at most kMostOperands, have been checked: each broadcasts to `shape`.
  Loops(const AnyShape& shape, std::initializer_list<AnyView<const float>> views) noexcept;

  // The innermost axis, whose elements are a row; of a single element where there is none.
  LoopAxis inner() const noexcept { return depth_ > 0 ? axes_[depth_ - 1] : LoopAxis{}; }
  // How many rows there are.
  Index rows() const noexcept;
  // The same loops over rows of a single element.
  Loops over_elements() const noexcept;

 private:
  friend class LoopOffsets;

  std::size_t depth_ = 0;
  std::array<LoopAxis, kMostAxes + 1> axes_{};
};

// Where a row begins in each view: counts up the axes around it.
class LoopOffsets {
 public:
  LoopOffsets(const Loops& loops, Index row) noexcept;

  void next_row() noexcept;
  // From the first element of view number `view`.
  Index operator[](std::size_t view) const noexcept { return offsets_[view]; }

 private:
  void step(std::size_t axis, Index by) noexcept;

  const Loops& loops_;
  std::array<Index, kMostAxes> index_{};
  Steps offsets_{};
};

}  // namespace tril::detail
