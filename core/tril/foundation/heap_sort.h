// Heap sort. std::sort consists of three algorithms, which visitors would download for every sorted
// type.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

namespace tril::detail {

// Sorts by `less` on the projections of the elements, in O(n log n). Equal elements may change
// places.
template <typename Range, typename Less = std::less<>, typename Projection = std::identity>
void heap_sort(Range&& range, Less less = {}, Projection projection = {}) {
  const auto before = [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
  std::make_heap(std::begin(range), std::end(range), before);
  std::sort_heap(std::begin(range), std::end(range), before);
}

}  // namespace tril::detail
