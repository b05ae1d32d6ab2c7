// Tensors and numbers drawn from the fuzzer's bytes: mostly small and valid, occasionally not.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tril::fuzz {

class Arguments {
 public:
  Arguments(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool flag() { return bytes_.ConsumeBool(); }
  // True about once in sixteen times.
  bool seldom() { return bytes_.ConsumeIntegralInRange(0, 15) == 1; }
  int number(int low, int high) { return bytes_.ConsumeIntegralInRange(low, high); }
  float any_float() { return bytes_.ConsumeFloatingPoint<float>(); }

  // `fitting`, or sometimes another small number.
  Index size(Index fitting) { return seldom() ? number(-1, 9) : fitting; }

  // The same for a list, whose length is at least 0.
  std::size_t length(Index fitting) {
    return static_cast<std::size_t>(std::max<Index>(size(fitting), 0));
  }

  // A view of separate memory that ends where the view ends, so that an access beyond it is found.
  // Elements are small integers. Rows have gaps, and axes may be repeated if `read_only`.
  template <int Rank>
  TensorView<float, Rank> view(const Shape<Rank>& fitting, bool read_only) {
    if (seldom() && seldom()) return {};
    Shape<Rank> shape, strides;
    Index next = 1;
    bool empty = false;
    for (std::size_t axis = Rank; axis-- > 0;) {
      shape[axis] = size(fitting[axis]);
      empty = empty || shape[axis] < 1;
      strides[axis] = next;
      if (axis == Rank - 1 && seldom()) strides[axis] = 2;
      next = strides[axis] * (shape[axis] < 1 ? 1 : shape[axis]);
      if (flag()) next += number(0, 3);
      if (read_only && axis + 1 < Rank && seldom()) strides[axis] = 0;
    }
    Index last = 0;
    for (std::size_t axis = 0; axis < Rank && !empty; ++axis) {
      last += (shape[axis] - 1) * strides[axis];
    }
    memory_.push_back(std::vector<float>(static_cast<std::size_t>(last) + 1));
    for (float& each : memory_.back()) each = static_cast<float>(next_element());
    return {memory_.back().data(), shape, strides};
  }

  const std::vector<std::vector<float>>& memory() const noexcept { return memory_; }

 private:
  // An integer from -1 to 2 by a separate generator, which uses no bytes of the fuzzer.
  int next_element() {
    return static_cast<int>((state_ = state_ * 1103515245u + 12345u) >> 16) % 4 - 1;
  }

  FuzzedDataProvider bytes_;
  std::vector<std::vector<float>> memory_;
  unsigned state_ = 1;
};

}  // namespace tril::fuzz
