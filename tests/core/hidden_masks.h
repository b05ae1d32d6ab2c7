// Masks of every kind that hide keys.
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/mask.h>

#include <string>
#include <utility>
#include <vector>

#include "core/hidden.h"

namespace tril::testing {

struct NamedMask {
  std::string name;
  AttentionOptions options;
};

// Masks for 2 batches of `queries` queries and `keys` keys, each of which hides some keys.
class Masks {
 public:
  Masks(Index queries, Index keys)
      : queries_(queries), added_({2, 1, queries, keys}), seen_({1, 1, queries, keys}) {
    for (Index t = 0; t < queries; ++t) {
      for (Index s = 0; s < keys; ++s) {
        seen_.view()[0][0][t][s] = (t * 7 + s * 5) % 3 != 0;
        for (Index b = 0; b < 2; ++b) {
          added_.view()[b][0][t][s] = (t + s * 3 + b) % 4 == 0 ? -kInfinity : 0.25f;
        }
      }
    }
  }

  std::vector<NamedMask> all() const {
    std::vector<NamedMask> masks;
    const auto add = [&](std::string name, Mask mask, bool causal = false) {
      AttentionOptions options;
      options.mask = mask, options.causal = causal;
      masks.push_back({std::move(name), options});
    };
    const Index keys = seen_.shape()[3];
    add("causal", {}, true);
    add("causal mask", Mask::causal());
    add("window", Mask::window(2, 1));
    add("strided", Mask::strided(2, 3), true);
    add("padding", Mask::padding({keys - 2, 1}));
    add("additive", Mask::additive(added_));
    add("boolean", Mask::boolean(seen_));
    add("boolean and causal", Mask::boolean(seen_), true);
    AttentionOptions lengths;
    lengths.key_lengths = {keys - 1, queries_}, lengths.causal = true;
    if (queries_ < keys) masks.push_back({"key lengths", lengths});
    return masks;
  }

 private:
  Index queries_;
  Buffer<float, 4> added_;
  Buffer<std::uint8_t, 4> seen_;
};

// The visibility of each key to each query of each batch.
inline Buffer<float, 4> visibility(const AttentionOptions& options, Index queries, Index keys) {
  Buffer<float, 4> values({2, 1, queries, keys});
  if (options.key_lengths.empty()) {
    mask_values(options.causal ? options.mask & Mask::causal() : options.mask, options.past,
                values);
    return values;
  }
  for (Index b = 0; b < 2; ++b) {
    const Index length = options.key_lengths[static_cast<std::size_t>(b)];
    for (Index t = 0; t < queries; ++t) {
      for (Index s = 0; s < keys; ++s) {
        values.view()[b][0][t][s] = s <= t + length - queries ? 0 : -kInfinity;
      }
    }
  }
  return values;
}

}  // namespace tril::testing
