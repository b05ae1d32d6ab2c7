// One way of sorting: std::sort is three, which visitors would download for every type that is
// sorted.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

namespace tril::detail {

// Sorts by `less` of what `projection` takes from each element. Equal elements may change places.
// O(n log n).
template <typename Range, typename Less = std::less<>, typename Projection = std::identity>
void heap_sort(Range&& range, Less less = {}, Projection projection = {}) {
  const auto before = [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
  std::make_heap(std::begin(range), std::end(range), before);
  std::sort_heap(std::begin(range), std::end(range), before);
}

}  // namespace tril::detail
