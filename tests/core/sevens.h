// The old contents of an output that a call has to overwrite completely.
#pragma once

#include <tril/foundation/buffer.h>

#include <algorithm>

namespace tril::testing {

template <int Rank>
Buffer<float, Rank> sevens(const Shape<Rank>& shape) {
  Buffer<float, Rank> buffer(shape);
  std::fill_n(buffer.data(), buffer.view().count(), 7.0f);
  return buffer;
}

template <int Rank>
bool all_are(const Buffer<float, Rank>& buffer, float value) {
  return std::all_of(buffer.data(), buffer.data() + buffer.view().count(),
                     [&](float element) { return element == value; });
}

}  // namespace tril::testing
