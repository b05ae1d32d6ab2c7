// The memory that a call reads and writes, so that no two of its tensors are in each other's way.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/parameters.h>

#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

class OverlapCheck {
 public:
  explicit OverlapCheck(std::string_view call) : call_(call) {}

  template <typename T, int Rank>
  void reads(const TensorView<T, Rank>& view) {
    if (view) ranges_.push_back(memory_range(view));
  }
  template <typename Weights>
  void reads_all(const Weights& weights) {
    for_each_parameter(weights,
                       [this](const ParameterName&, const auto& view) { this->reads(view); });
  }

  // Throws Error unless `view`, if it is given at all, has this shape and lies apart from
  // everything named so far.
  template <int Rank>
  void writes(const TensorView<float, Rank>& view, const Shape<Rank>& shape, const char* name,
              const char* why) {
    if (!view) return;
    check_shape(view, shape, call_, name, why);
    const MemoryRange written = memory_range(view);
    for (const MemoryRange& other : ranges_) {
      if (written.begin < other.end && other.begin < written.end) {
        fail(call_, name,
             "shares memory with an input or another output; shape " + shape_text(view));
      }
    }
    ranges_.push_back(written);
  }

 private:
  std::string_view call_;
  std::vector<MemoryRange> ranges_;
};

}  // namespace tril::detail
