// Multi-head attention (Vaswani et al. 2017, section 3.2.2), as torch.nn.MultiheadAttention with
// batch_first:
//
//   queries = x Wq^T + bq,  keys = context Wk^T + bk,  values = context Wv^T + bv,  H heads each
//   queries and keys normalised, if they have norms (Henry et al. 2020)
//   queries and keys rotated by their positions, with rotary
//   keys, values = those in the cache followed by the new ones, with a cache
//   heads   = attention(queries, keys, values)
//   out     = heads Wo^T + bo,  the heads side by side
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/key_value_cache.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/rotary_positions.h>
#include <tril/matmul/weight.h>

#include <functional>
#include <optional>

namespace tril {

// The names and shapes are PyTorch's, with matrices [out, in]. E = H * D is the width of all heads
// of queries, Ek = Hk * D the width of all heads of keys and of values; in PyTorch E = Ek = C.
template <typename T>
struct BasicMultiHeadWeights {
  // All three matrices stacked, [E + 2 Ek, C]; or the three below, if the widths of the inputs
  // differ.
  WeightMatrix<T> in_proj_weight = {};
  WeightMatrix<T> q_proj_weight = {};    // [E, C]
  WeightMatrix<T> k_proj_weight = {};    // [Ek, width of context]
  WeightMatrix<T> v_proj_weight = {};    // [Ek, width of value_context]
  VectorView<T> in_proj_bias = {};       // [E + 2 Ek] or none
  WeightMatrix<T> out_proj_weight = {};  // [C, E]
  VectorView<T> out_proj_bias = {};      // [C] or none
  // RMS norms of queries and of keys. Weights [D] normalise each head by itself (Qwen3, Gemma 3);
  // weights [E] and [Ek] normalise all heads together (OLMo 2). A null view: no norm.
  VectorView<T> q_norm = {};
  VectorView<T> k_norm = {};

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("in_proj_weight", each.in_proj_weight...);
    visit("q_proj_weight", each.q_proj_weight...);
    visit("k_proj_weight", each.k_proj_weight...);
    visit("v_proj_weight", each.v_proj_weight...);
    visit("in_proj_bias", each.in_proj_bias...);
    visit("out_proj.weight", each.out_proj_weight...);
    visit("out_proj.bias", each.out_proj_bias...);
    visit("q_norm.weight", each.q_norm...);
    visit("k_norm.weight", each.k_norm...);
  }
};

// Weights for reading.
using MultiHeadWeights = BasicMultiHeadWeights<const float>;

// The rotation of queries and keys by their positions (layers/rotary_positions.h). The first token
// has position 0, or, with a cache, the position after the tokens in the cache.
struct MultiHeadRotary {
  double base = 10000;                      // pair i turns by base^(-2 i / R) radians per position
  Index width = 0;                          // R, the number of rotated elements of a head; 0: all
  RotaryPairs pairs = RotaryPairs::halves;  // the elements that form a pair
  // Tables of rotary_angles [N, R / 2] from position 0 on, at least as far as the last token. They
  // replace the base, for many calls or for scaled angles. Null views: the tables are computed.
  MatrixView<const float> cos = {};
  MatrixView<const float> sin = {};
};

// The heads, and the sources of keys and values.
struct MultiHeadOptions {
  Index heads = 1;     // H, which divides E
  Index kv_heads = 0;  // Hk; 0: the same as heads
  // Cross-attention: the source of keys and values, [B, S, ...]. A null view: x.
  TensorView<const float, 3> context = {};
  // The source of values, if it differs from that of keys.
  TensorView<const float, 3> value_context = {};
  double norm_eps = 1e-5;                      // added to the mean square in q_norm and k_norm
  std::optional<MultiHeadRotary> rotary = {};  // none: no rotation
  // Decoding: a cache to which the keys and values of x's tokens are appended, and which holds
  // those of the tokens before them. S is then the length of the cache, and attention.past follows
  // from it. With a context, the context's keys and values are appended instead: the first call
  // passes the whole context and later calls a context [B, 0, ...], so that cross-attention
  // projects it only once. A context and a cache together exclude rotary.
  KeyValueCache* past = nullptr;
  AttentionOptions attention = {};  // causal, mask, ... of scores [B, H, T, S]
  // Receives the output of attention for each head, [B, H, T, D], and may change it before the
  // projection Wo, which ablates or patches heads. The trace has the changed heads. With it, the
  // backward pass throws Error.
  std::function<void(const TensorView<float, 4>&)> change_heads = {};
};

// Views to fill; a null view is not filled.
struct MultiHeadTrace {
  TensorView<float, 4> queries = {};          // [B, H, T, D]
  TensorView<float, 4> keys = {};             // [B, Hk, S, D], or with a cache [B, Hk, T, D]
  TensorView<float, 4> values = {};           // the shape of keys
  AttentionTrace attention = {};              // [B, H, T, S]
  TensorView<float, 3> average_weights = {};  // [B, T, S]: the mean over heads
  TensorView<float, 4> heads = {};            // [B, H, T, D]: the output of attention for each head
  TensorView<float, 4> unrotated_queries = {};  // queries before the rotation
  TensorView<float, 4> unrotated_keys = {};     // keys before the rotation
  TensorView<float, 4> unnormed_queries = {};   // queries before q_norm
  TensorView<float, 4> unnormed_keys = {};      // keys before k_norm
  // 1 / sqrt(mean square + norm_eps): [B, H, T] for queries and [B, Hk, S] for keys if each head is
  // normalised by itself, else [B, 1, T] and [B, 1, S]. Only with q_norm and k_norm.
  TensorView<float, 3> query_rstd = {};
  TensorView<float, 3> key_rstd = {};

  // Calls visit(the member's name in errors, the member of each struct) for every member, also of
  // `attention`.
  template <typename Visit, typename... Traces>
  static void for_each_member(const Visit& visit, Traces&... each) {
    visit("trace.queries", each.queries...);
    visit("trace.keys", each.keys...);
    visit("trace.values", each.values...);
    visit("trace.heads", each.heads...);
    AttentionTrace::for_each_member(visit, each.attention...);
    visit("trace.average_weights", each.average_weights...);
    visit("trace.unrotated_queries", each.unrotated_queries...);
    visit("trace.unrotated_keys", each.unrotated_keys...);
    visit("trace.unnormed_queries", each.unnormed_queries...);
    visit("trace.unnormed_keys", each.unnormed_keys...);
    visit("trace.query_rstd", each.query_rstd...);
    visit("trace.key_rstd", each.key_rstd...);
  }
};

// x and out are [B, T, C]. B, T and the length of the context may be 0; heads that see no keys are
// 0. Outputs may not share memory with inputs. Throws Error where shapes or options do not fit; a
// cache is then unchanged.
void multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                          const MultiHeadOptions& options, TensorView<float, 3> out,
                          const Context& context = {}, const MultiHeadTrace& trace = {});

// The trace that the backward pass needs, laid out in `memory`: B (T (2 E + H) + 2 S Ek) floats for
// x [B, T, C] and a context of length S (without one, S = T); norms need at most B (T (E + H) + S
// (Ek + Hk)) more. Throws Error where the weights do not fit these shapes.
MultiHeadTrace multi_head_attention_saved(const Shape<3>& x, const MultiHeadWeights& weights,
                                          const MultiHeadOptions& options, SavedMemory& memory);

// Gradients of multi_head_attention; a null view is not computed.
struct MultiHeadGradients {
  TensorView<float, 3> d_x = {};              // [B, T, C], overwritten
  TensorView<float, 3> d_context = {};        // the shape of the context, overwritten
  TensorView<float, 3> d_value_context = {};  // the shape of the value context, overwritten
  // [B, H, T, S], overwritten: the gradient of the number that an additive mask adds to each score
  // (attention_backward.h).
  TensorView<float, 4> d_mask = {};
  BasicMultiHeadWeights<float> weights = {};  // the shapes of the weights, added to
};

// The backward pass, from the gradient d_out [B, T, C] of the output. x, weights and options are
// those of the forward pass; the trace has its results: queries, keys, values, heads,
// attention.log_sum_exp, and the inputs and rstd of q_norm and k_norm. Each input gets the gradient
// of all that was projected from it: x, the context and the value context. Outputs may not share
// memory with anything else. Results do not depend on the number of threads. Throws Error where
// shapes do not fit or where there is a cache, before anything is written.
void multi_head_attention_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                   const MultiHeadWeights& weights, const MultiHeadOptions& options,
                                   const MultiHeadTrace& trace, const MultiHeadGradients& gradients,
                                   const Context& context = {});

// Throws the errors of multi_head_attention and does nothing else, for callers that compute
// something before it.
void check_multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                                const MultiHeadOptions& options, TensorView<float, 3> out,
                                const MultiHeadTrace& trace = {});

namespace detail {

// Multi-head attention bound to its weights, its options and the views that its trace fills. run()
// and backward() expect that check() and check_backward() have passed.
struct MultiHead {
  MultiHeadWeights weights;
  MultiHeadOptions options;
  MultiHeadTrace trace = {};

  void run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
           const Context& context) const;
  void backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                const MultiHeadGradients& gradients, const Context& context) const;

  // Throw Error in the name of multi_head_attention and multi_head_attention_backward unless
  // everything fits x and a context that check_inputs (projections.h) has passed.
  void check(const TensorView<const float, 3>& x, const TensorView<float, 3>& out) const;
  void check_backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                      const MultiHeadGradients& gradients) const;
};

}  // namespace detail

}  // namespace tril
