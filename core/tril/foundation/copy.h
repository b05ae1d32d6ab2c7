// Copies of views.
#pragma once

#include <tril/foundation/tensor.h>

#include <algorithm>

namespace tril::detail {

// Copies row by row to a view of the same shape. Does nothing where `to` is a null view or is
// `from` itself.
template <typename T, int Rank>
void copy(const TensorView<T, Rank>& from, const TensorView<float, Rank>& to) noexcept {
  if (!to || to.data() == from.data()) return;
  if constexpr (Rank == 1) {
    std::copy_n(from.data(), from.size(0), to.data());
  } else {
    for (Index i = 0; i < from.size(0); ++i) copy(from[i], to[i]);
  }
}

}  // namespace tril::detail
