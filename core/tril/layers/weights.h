// The parameters of layers, with the names and shapes of PyTorch's modules; foundation/parameters.h
// visits them. T is const float where weights are read, float where gradients are written.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/weight.h>

#include <cstdint>

namespace tril {

// A linear layer's parameters, as nn.Linear's.
template <typename T>
struct BasicLinearWeights {
  WeightMatrix<T> weight = {};  // [out, in]
  VectorView<T> bias = {};      // [out] or none

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("weight", each.weight...);
    visit("bias", each.bias...);
  }
};

// The norms of rows. `none` does not change them.
enum class NormKind : std::uint8_t { layer_norm, rms_norm, none };
// Their names.
inline constexpr Named<NormKind> kNormKinds[] = {{"layer_norm", NormKind::layer_norm},
                                                 {"rms_norm", NormKind::rms_norm},
                                                 {"none", NormKind::none}};

// A normalisation's parameters, as nn.LayerNorm's.
template <typename T>
struct BasicNormWeights {
  VectorView<T> weight = {};  // [C] or none
  VectorView<T> bias = {};    // [C] or none

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("weight", each.weight...);
    visit("bias", each.bias...);
  }
};

// The two linear layers of a feed-forward.
template <typename T>
struct BasicFeedForwardWeights {
  BasicLinearWeights<T> linear1 = {};  // [F, C]
  BasicLinearWeights<T> linear2 = {};  // [C, F]

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("linear1", each.linear1...);
    visit("linear2", each.linear2...);
  }
};

// Weights that are only read.
using LinearWeights = BasicLinearWeights<const float>;
using NormWeights = BasicNormWeights<const float>;
using FeedForwardWeights = BasicFeedForwardWeights<const float>;

}  // namespace tril
