// Attention without softmax, in either order of multiplication:
//
//   weights[t, s] = f(q_t) . f(k_s)  over  sum of f(q_t) . f(k_s') over all keys s' seen
//   out = weights V
//
// `scores_first` multiplies as written, (f(Q) f(K)^T) V, in O(T S) time and memory. `values_first`
// uses associativity, f(Q) (f(K)^T V), and takes O(T + S) time without any scores (Katharopoulos et
// al. 2020). With `causal`, f(K)^T V is a running sum over the keys seen so far.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The functions f that replace softmax.
enum class FeatureMap {
  elu_plus_one,  // x + 1 for x > 0, else e^x: always positive (Katharopoulos et al. 2020)
  identity,
};

// Their names.
inline constexpr Named<FeatureMap> kFeatureMaps[] = {{"elu_plus_one", FeatureMap::elu_plus_one},
                                                     {"identity", FeatureMap::identity}};

// (Q K^T) V or Q (K^T V), which are equal.
enum class ProductOrder { values_first, scores_first };

// Their names.
inline constexpr Named<ProductOrder> kProductOrders[] = {
    {"values_first", ProductOrder::values_first}, {"scores_first", ProductOrder::scores_first}};

// Options of the formula and of its computation.
struct LinearAttentionOptions {
  FeatureMap feature_map = FeatureMap::elu_plus_one;  // applied to queries and keys
  ProductOrder order = ProductOrder::values_first;    // results differ only in rounding
  bool causal = false;                                // query t sees keys 0 .. t
  bool normalise = true;  // divide by the sum; with identity and false: the plain product Q K^T V
};

// query [B, H, T, D], key [B, Hk, S, D], value [B, Hk, S, Dv], out [B, H, T, Dv]; Hk divides H.
// weights [B, H, T, S], or no view, is filled with the weights; only with scores_first. Where the
// divisor is 0 the output is 0. Where it leaves the range of float, as with elements below -40, the
// row is computed in double. Outputs may not share memory with inputs. Throws Error where shapes do
// not fit.
void linear_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const LinearAttentionOptions& options,
                      TensorView<float, 4> out, const Context& context = {},
                      TensorView<float, 4> weights = {});

}  // namespace tril
