// Multi-head attention (Vaswani et al. 2017, section 3.2.2), as torch.nn.MultiheadAttention with
// batch_first:
//
//   queries = x Wq^T + bq,  keys = context Wk^T + bk,  values = context Wv^T + bv,  H heads each
//   queries and keys normalised, where they have norms (Henry et al. 2020)
//   queries and keys rotated by their positions, where asked for
//   keys, values = those of the cache, and then these, where there is a cache
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

// PyTorch's names and shapes, matrices [out, in]. E = H * D is the width of all heads of queries,
// Ek = Hk * D that of keys and values; in PyTorch E = Ek = C.
template <typename T>
struct BasicMultiHeadWeights {
  // All three stacked, [E + 2 Ek, C]; or each by its own below, where widths of inputs differ.
  WeightMatrix<T> in_proj_weight = {};
  WeightMatrix<T> q_proj_weight = {};    // [E, C]
  WeightMatrix<T> k_proj_weight = {};    // [Ek, width of context]
  WeightMatrix<T> v_proj_weight = {};    // [Ek, width of value_context]
  VectorView<T> in_proj_bias = {};       // [E + 2 Ek] or none
  WeightMatrix<T> out_proj_weight = {};  // [C, E]
  VectorView<T> out_proj_bias = {};      // [C] or none
  // RMS norms of queries and of keys: [D], of each head by itself, as Qwen3 and Gemma 3 have them;
  // [E] and [Ek], of all heads together, as OLMo 2; or none.
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

// To be read.
using MultiHeadWeights = BasicMultiHeadWeights<const float>;

// How queries and keys are rotated by their positions (layers/rotary_positions.h). The first token
// stands at 0, or, where there is a cache, after those in it.
struct MultiHeadRotary {
  double base = 10000;                      // pair i turns by base^(-2 i / R) radians a position
  Index width = 0;                          // R, the elements of a head that are turned; 0: all
  RotaryPairs pairs = RotaryPairs::halves;  // which of them together
  // Tables of rotary_angles [N, R / 2] from position 0 on, at least as far as the last token, to
  // take in place of the base: for many calls, or scaled angles. None: they are computed.
  MatrixView<const float> cos = {};
  MatrixView<const float> sin = {};
};

// Heads, and where keys and values come from.
struct MultiHeadOptions {
  Index heads = 1;     // H, which divides E
  Index kv_heads = 0;  // Hk; 0: as many as heads
  // Cross-attention: what keys and values are made of, [B, S, ...]; none: x, and values from
  // context.
  TensorView<const float, 3> context = {};
  // What values are made of, if not of context.
  TensorView<const float, 3> value_context = {};
  double norm_eps = 1e-5;                      // added to the mean square by q_norm and k_norm
  std::optional<MultiHeadRotary> rotary = {};  // none: not rotated
  // Decoding: where keys and values of x's tokens are appended, and those before them found; S is
  // then the length of the cache. attention.past follows from it. With a context, the context's
  // keys and values are appended: given all of it once, and a context [B, 0, ...] from then on,
  // cross-attention projects it a single time. Not then with rotary.
  KeyValueCache* past = nullptr;
  AttentionOptions attention = {};  // causal, mask, ... of scores [B, H, T, S]
  // Is given what attention gives, a head each, [B, H, T, D], and may change it before it goes
  // through Wo: heads are switched off so, or replaced. The trace has what it leaves. Throws Error
  // in the backward pass.
  std::function<void(const TensorView<float, 4>&)> change_heads = {};
};

// Views to fill; none: not wanted.
struct MultiHeadTrace {
  TensorView<float, 4> queries = {};            // [B, H, T, D]
  TensorView<float, 4> keys = {};               // [B, Hk, S, D], or with a cache [B, Hk, T, D]
  TensorView<float, 4> values = {};             // as keys
  AttentionTrace attention = {};                // [B, H, T, S]
  TensorView<float, 3> average_weights = {};    // [B, T, S]: the mean over heads
  TensorView<float, 4> heads = {};              // [B, H, T, D]: what attention gives, a head each
  TensorView<float, 4> unrotated_queries = {};  // as queries, before they are rotated
  TensorView<float, 4> unrotated_keys = {};     // as keys
  TensorView<float, 4> unnormed_queries = {};   // as queries, before q_norm
  TensorView<float, 4> unnormed_keys = {};      // as keys, before k_norm
  // 1 / sqrt(mean square + norm_eps): [B, H, T] of queries and [B, Hk, S] of keys where each head
  // is normalised by itself, else [B, 1, T] and [B, 1, S]. Not without q_norm and k_norm.
  TensorView<float, 3> query_rstd = {};
  TensorView<float, 3> key_rstd = {};

  // visit(what errors call a member, that member of each), for every member, also of `attention`.
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

// x [B, T, C], out [B, T, C]; B, T and the length of the context may be 0: heads that see nothing
// are 0. What is written may not share memory with what is read. Throws Error where shapes or
// options do not fit; a cache is then as it was.
void multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                          const MultiHeadOptions& options, TensorView<float, 3> out,
                          const Context& context = {}, const MultiHeadTrace& trace = {});

// The trace that the backward pass needs, laid out in `memory`: for x [B, T, C] and, where there is
// a context of length S, B (T (2 E + H) + 2 S Ek) floats; norms need B (T (E + H) + S (Ek + Hk))
// more at most. Throws Error where the weights do not fit these shapes.
MultiHeadTrace multi_head_attention_saved(const Shape<3>& x, const MultiHeadWeights& weights,
                                          const MultiHeadOptions& options, SavedMemory& memory);

// Gradients of multi_head_attention; those that are not given are not computed.
struct MultiHeadGradients {
  TensorView<float, 3> d_x = {};              // [B, T, C], overwritten
  TensorView<float, 3> d_context = {};        // the shape of the context, overwritten
  TensorView<float, 3> d_value_context = {};  // the shape of that, overwritten
  // [B, H, T, S], overwritten: of what an additive mask adds to each score (attention_backward.h).
  TensorView<float, 4> d_mask = {};
  BasicMultiHeadWeights<float> weights = {};  // shaped as the weights, added to
};

// The backward pass, from the gradient d_out [B, T, C] of the output; x, weights and options as
// they were given, and in the trace what the forward pass left: queries, keys, values, heads,
// attention.log_sum_exp, and what q_norm and k_norm were given and computed. What is made of x, of
// the context and of the context of values goes back to each. What is written may not share memory
// with anything else. Results do not depend on the number of threads. Throws Error where shapes do
// not fit and where there is a cache, before anything is written.
void multi_head_attention_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                   const MultiHeadWeights& weights, const MultiHeadOptions& options,
                                   const MultiHeadTrace& trace, const MultiHeadGradients& gradients,
                                   const Context& context = {});

// Throws what multi_head_attention would, and does nothing else: for callers that compute something
// before it.
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
