// Tensors of any rank with random shapes and strides, and loops over all of their indices, for
// writing down NumPy's semantics.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/random.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tril::testing {

using Indices = std::vector<Index>;

// A random index from 0 to below `count`.
inline Index below(Random& random, Index count) {
  return std::min(count - 1, static_cast<Index>(random.uniform() * static_cast<float>(count)));
}

inline AnyShape any_shape(const Indices& sizes) {
  AnyShape shape;
  shape.rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), shape.sizes.begin());
  return shape;
}

inline Indices sizes_of(const AnyShape& shape) {
  return {shape.sizes.begin(), shape.sizes.begin() + shape.rank};
}

inline Index count_of(const Indices& sizes) {
  Index count = 1;
  for (const Index size : sizes) count *= size;
  return count;
}

// Calls body(index) for every index of `sizes`, in row-major order.
template <typename Body>
void for_each_index(const Indices& sizes, const Body& body) {
  Indices index(sizes.size());
  for (Index n = count_of(sizes); n > 0; --n) {
    body(std::as_const(index));
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      if (++index[axis] < sizes[axis]) break;
      index[axis] = 0;
    }
  }
}

// The element at `index` after broadcasting.
template <typename T>
T& element(const AnyView<T>& view, const Indices& index) {
  T* at = view.data;
  const int missing = static_cast<int>(index.size()) - view.shape.rank;
  for (int axis = 0; axis < view.shape.rank; ++axis) {
    const Index i = index[static_cast<std::size_t>(axis + missing)];
    at += (view.shape[axis] == 1 ? 0 : i) * view.strides[axis];
  }
  return *at;
}

// A tensor that owns its memory, with its axes in any order, backwards or forwards, with or without
// gaps. Elements in the gaps never change.
class AnyTensor {
 public:
  // Fills the tensor with integers from -9 to 9.
  AnyTensor(const Indices& sizes, Random& random, bool gaps) {
    view_.shape = view_.strides = any_shape(sizes);
    Indices order(sizes.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis) order[axis] = static_cast<Index>(axis);
    Index reach = 1, first = 0;
    for (std::size_t left = order.size(); left-- > 0;) {
      if (gaps)
        std::swap(order[left],
                  order[static_cast<std::size_t>(below(random, static_cast<Index>(left) + 1))]);
      const int axis = static_cast<int>(order[left]);
      const Index stride = reach * (gaps ? 1 + below(random, 3) / 2 : 1);
      const Index size = view_.shape[axis];
      reach = stride * std::max<Index>(1, size);
      const bool backwards = gaps && below(random, 4) == 0;
      view_.strides[axis] = backwards ? -stride : stride;
      if (backwards && size > 1) first += (size - 1) * stride;
    }
    memory_.resize(static_cast<std::size_t>(reach) + 1);
    for (float& value : memory_) value = static_cast<float>(below(random, 19) - 9);
    view_.data = memory_.data() + first;
  }
  AnyTensor(const AnyTensor&) = delete;
  AnyTensor& operator=(const AnyTensor&) = delete;

  AnyView<float> view() { return view_; }
  AnyView<const float> view() const { return view_; }
  std::vector<float>& memory() { return memory_; }

  // All elements in row-major order.
  std::vector<float> values() const {
    std::vector<float> result;
    for_each_index(sizes_of(view_.shape),
                   [&](const Indices& index) { result.push_back(element(view_, index)); });
    return result;
  }

 private:
  std::vector<float> memory_;
  AnyView<float> view_;
};

// A random shape with 0 to `rank` axes of 0 to `size` elements; 0 is rare.
inline Indices random_sizes(Random& random, Index rank, Index size) {
  Indices sizes(static_cast<std::size_t>(below(random, rank + 1)));
  for (Index& each : sizes) {
    each = 1 + below(random, size);
    if (below(random, 40) == 0) each = 0;
  }
  return sizes;
}

// A shape that broadcasts to `sizes`: some axes are 1, some leading ones are missing.
inline Indices broadcasting(const Indices& sizes, Random& random) {
  Indices result = sizes;
  for (Index& each : result) {
    if (below(random, 3) == 0) each = 1;
  }
  if (!result.empty() && below(random, 3) == 0) {
    result.erase(result.begin(), result.begin() + below(random, static_cast<Index>(result.size())));
  }
  return result;
}

}  // namespace tril::testing
