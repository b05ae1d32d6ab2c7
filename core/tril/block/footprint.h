// The memory that a call reads and writes, so that no two of its tensors are in each other's way.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/block/sublayer.h>
#include <tril/foundation/check.h>

#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

class Footprint {
 public:
  explicit Footprint(std::string_view call) : call_(call) {}

  template <typename T, int Rank>
  void reads(const TensorView<T, Rank>& view) {
    if (view) extents_.push_back(extent(view));
  }
  void reads(const LinearWeights& weights) { reads(weights.weight), reads(weights.bias); }
  void reads(const NormWeights& weights) { reads(weights.weight), reads(weights.bias); }
  void reads(const MultiHeadWeights& weights) {
    reads(weights.in_proj_weight), reads(weights.in_proj_bias);
    reads(weights.q_proj_weight), reads(weights.k_proj_weight), reads(weights.v_proj_weight);
    reads(weights.out_proj_weight), reads(weights.out_proj_bias);
  }

  // Throws Error unless `view`, if it is given at all, has this shape and lies apart from
  // everything named so far.
  template <int Rank>
  void writes(const TensorView<float, Rank>& view, const Shape<Rank>& shape, const char* name,
              const char* why) {
    if (!view) return;
    check_shape(view, shape, call_, name, why);
    const Extent written = extent(view);
    for (const Extent& other : extents_) {
      if (written.begin < other.end && other.begin < written.end) {
        fail(call_, name,
             "shares memory with an input or another output; shape " + shape_text(view));
      }
    }
    extents_.push_back(written);
  }

 private:
  std::string_view call_;
  std::vector<Extent> extents_;
};

}  // namespace tril::detail
