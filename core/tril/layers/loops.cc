#include <tril/layers/loops.h>

namespace tril::detail {

bool LoopAxis::continues(const LoopAxis& inner) const noexcept {
  for (std::size_t view = 0; view < kMostOperands; ++view) {
    if (steps[view] != inner.size * inner.steps[view]) return false;
  }
  return true;
}

Loops::Loops(const AnyShape& shape, std::initializer_list<AnyView<const float>> views) noexcept {
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (shape[axis] == 1) continue;
    LoopAxis inner{.size = shape[axis]};
    std::size_t number = 0;
    for (const AnyView<const float>& view : views) {
      const int own = axis - (shape.rank - view.shape.rank);
      inner.steps[number++] = own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
    }
    if (depth_ > 0 && axes_[depth_ - 1].continues(inner)) {
      inner.size *= axes_[depth_ - 1].size;
      axes_[depth_ - 1] = inner;
    } else {
      axes_[depth_++] = inner;
    }
  }
}

Index Loops::rows() const noexcept {
  Index rows = 1;
  for (std::size_t axis = 0; axis + 1 < depth_; ++axis) rows *= axes_[axis].size;
  return rows;
}

Loops Loops::over_elements() const noexcept {
  Loops loops = *this;
  loops.axes_[loops.depth_++] = {};
  return loops;
}

LoopOffsets::LoopOffsets(const Loops& loops, Index row) noexcept : loops_(loops) {
  for (std::size_t axis = loops.depth_; axis-- > 1;) {
    const Index size = loops.axes_[axis - 1].size;
    index_[axis - 1] = row % size;
    step(axis - 1, row % size);
    row /= size;
  }
}

void LoopOffsets::next_row() noexcept {
  for (std::size_t axis = loops_.depth_; axis-- > 1;) {
    Index& index = index_[axis - 1];
    step(axis - 1, 1);
    if (++index < loops_.axes_[axis - 1].size) return;
    step(axis - 1, -index);
    index = 0;
  }
}

void LoopOffsets::step(std::size_t axis, Index by) noexcept {
  for (std::size_t view = 0; view < kMostOperands; ++view) {
    offsets_[view] += by * loops_.axes_[axis].steps[view];
  }
}

}  // namespace tril::detail
