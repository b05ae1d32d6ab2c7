// One way of sorting: std::sort is three, which visitors would download for every type that is
// sorted.
#pragma once

#include <algorithm>
#include <functional>

namespace tril::detail {

// Sorts by `less` of what `projection` takes from each element. Equal elements may change places.
// O(n log n).
template <typename Range, typename Less = std::ranges::less, typename Projection = std::identity>
void heap_sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::ranges::make_heap(range, less, projection);
  std::ranges::sort_heap(range, less, projection);
}

}  // namespace tril::detail
