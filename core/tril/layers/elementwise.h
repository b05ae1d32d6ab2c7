// What the functions of single elements share: the check that the output is an input or apart from
// it, and the cut of a matrix into pieces of work.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/parallel.h>

#include <algorithm>
#include <string_view>

namespace tril {

// Throws where `out` shares memory with `input` without being the same view.
template <typename T, typename U, int Rank>
void check_in_place(const TensorView<T, Rank>& out, const TensorView<U, Rank>& input,
                    std::string_view call, std::string_view argument) {
  if (out.data() == input.data() && out.strides() == input.strides()) return;
  check_no_overlap(out, input, call, argument);
}

// About this many elements are one piece of work: 64 KiB of output.
inline constexpr Index kElementsPerItem = 16384;

// Calls body(first, last) for ranges of rows that together are [0, rows).
template <typename Body>
void for_row_ranges(Index rows, Index cols, Parallel& parallel, const Body& body) {
  const Index step = std::max<Index>(1, kElementsPerItem / cols);
  parallel.for_each((rows + step - 1) / step,
                    [&](Index item, int) { body(item * step, std::min(rows, (item + 1) * step)); });
}

// Calls body(row, col, count) for runs of neighbours that together are the matrix. A matrix without
// gaps, `flat`, is a single long row.
template <typename Body>
void for_runs(const MatrixView<float>& matrix, bool flat, Parallel& parallel, const Body& body) {
  const Index rows = flat ? 1 : matrix.size(0), cols = flat ? matrix.count() : matrix.size(1);
  const Index runs = (cols + kElementsPerItem - 1) / kElementsPerItem;  // in a row
  for_row_ranges(rows * runs, std::min(cols, kElementsPerItem), parallel,
                 [&](Index first, Index last) {
                   for (Index run = first; run < last; ++run) {
                     const Index col = run % runs * kElementsPerItem;
                     body(run / runs, col, std::min(kElementsPerItem, cols - col));
                   }
                 });
}

}  // namespace tril
