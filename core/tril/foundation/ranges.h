// Divides rows, and the elements of a matrix, into work items.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <algorithm>

namespace tril {

// Approximate elements of a work item: 64 KiB.
inline constexpr Index kElementsPerItem = 16384;

// Calls body(first, last) for ranges that together cover the rows [0, rows).
template <typename Body>
void for_row_ranges(Index rows, Index cols, const Context& context, const Body& body) {
  const Index step = std::max<Index>(1, kElementsPerItem / std::max<Index>(1, cols));
  context.parallel.for_each((rows + step - 1) / step, [&](Index item, int) {
    body(item * step, std::min(rows, (item + 1) * step));
  });
}

// Calls body(row, col, count) for runs of adjacent elements that together cover the matrix. A
// matrix without gaps, `flat`, counts as a single long row.
template <typename Body>
void for_runs(const MatrixView<float>& matrix, bool flat, const Context& context,
              const Body& body) {
  const Index rows = flat ? 1 : matrix.size(0), cols = flat ? matrix.count() : matrix.size(1);
  const Index runs = (cols + kElementsPerItem - 1) / kElementsPerItem;  // in each row
  for_row_ranges(rows * runs, std::min(cols, kElementsPerItem), context,
                 [&](Index first, Index last) {
                   for (Index run = first; run < last; ++run) {
                     const Index col = run % runs * kElementsPerItem;
                     body(run / runs, col, std::min(kElementsPerItem, cols - col));
                   }
                 });
}

// A batch of matrices [B, T, C] as one matrix [B T, C], where all rows are evenly spaced; else a
// null view.
template <typename T>
MatrixView<T> joined_rows(const TensorView<T, 3>& view) noexcept {
  if (view.size(0) > 1 && view.stride(0) != view.size(1) * view.stride(1)) return {};
  return {view.data(), {view.size(0) * view.size(1), view.size(2)}, {view.stride(1), 1}};
}

// The same for numbers [B, T] as [B T].
template <typename T>
VectorView<T> joined_rows(const MatrixView<T>& view) noexcept {
  if (view.size(0) > 1 && view.stride(0) != view.size(1)) return {};
  return {view.data(), {view.size(0) * view.size(1)}};
}

}  // namespace tril
