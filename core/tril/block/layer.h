// The Transformer layer. Its sublayers are self-attention, cross-attention if there is a memory,
// and feed-forward. Each is a function f with a residual connection and a norm,
//
//   post-norm      out = norm(x + f(x))         (Vaswani et al. 2017)
//   pre-norm       out = x + f(norm(x))         (Xiong et al. 2020)
//   sandwich       out = x + norm(f(norm(x)))   (Ding et al. 2021; Gemma 2 and 3)
//   of the branch  out = x + norm(f(x))         (Liu et al. 2022; OLMo 2)
//
// with x and out [B, T, C]. The x of each sublayer is the output of the sublayer before it. In a
// parallel layer (GPT-J, GPT-NeoX, Phi) the input of all functions is the layer's x:
//
//   out = x + f1(norm1(x)) + f2(norm2(x))
//
// The Transformer block, the decoder block and the layer of a language model are this layer under
// other names.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/block/batched_layers.h>
#include <tril/foundation/error.h>
#include <tril/foundation/message.h>
#include <tril/foundation/named.h>
#include <tril/foundation/saved_memory.h>

#include <array>
#include <functional>
#include <optional>

namespace tril {

// Whether norm1, norm2 and norm3 come after the sum or before the function.
enum class NormOrder { post, pre };

// The names of the orders.
inline constexpr Named<NormOrder> kNormOrders[] = {{"post", NormOrder::post},
                                                   {"pre", NormOrder::pre}};

// The names are those of nn.TransformerDecoderLayer's state_dict; biases and norms may be null
// views. Without cross-attention there are no multihead_attn and norm3, and norm2 belongs to
// feed-forward.
template <typename T>
struct BasicLayerWeights {
  BasicMultiHeadWeights<T> self_attn = {};       // keys and values come from x
  BasicMultiHeadWeights<T> multihead_attn = {};  // keys and values come from the memory
  BasicLinearWeights<T> linear1 = {};            // [F, C]; gated [2 F, C], the gate above
  BasicLinearWeights<T> linear2 = {};            // [C, F]
  BasicNormWeights<T> norm1 = {};                // of self-attention
  BasicNormWeights<T> norm2 = {};                // of cross-attention
  BasicNormWeights<T> norm3 = {};                // of feed-forward
  // Norms of the outputs of the three functions, if these are normalised before they are added.
  BasicNormWeights<T> branch_norm1 = {};
  BasicNormWeights<T> branch_norm2 = {};
  BasicNormWeights<T> branch_norm3 = {};

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("self_attn", each.self_attn...);
    visit("multihead_attn", each.multihead_attn...);
    visit("linear1", each.linear1...);
    visit("linear2", each.linear2...);
    visit("norm1", each.norm1...);
    visit("norm2", each.norm2...);
    visit("norm3", each.norm3...);
    visit("branch_norm1", each.branch_norm1...);
    visit("branch_norm2", each.branch_norm2...);
    visit("branch_norm3", each.branch_norm3...);
  }
};

// A part of a layer.
enum class LayerPart : std::uint8_t { attention, cross_attention, feed_forward };

namespace detail {

// Intermediate results of a sublayer to keep; a null view is not kept. All are [B, T, C].
struct SublayerTrace {
  TensorView<float, 3> branch = {};    // the term added to x: f's output, or its norm
  TensorView<float, 3> residual = {};  // x + branch
  // The output of norm1, norm2 or norm3; without these norms, the input of f.
  TensorView<float, 3> normed = {};
  NormTrace norm = {};                 // the moments of that norm's input
  TensorView<float, 3> unnormed = {};  // f's output before its norm
  NormTrace branch_norm = {};          // the moments of `unnormed`
};

// Intermediate results of a layer.
struct LayerTrace {
  MultiHeadTrace self_attn = {}, multihead_attn = {};
  std::array<SublayerTrace, 3> sublayers = {};  // the first count() elements are used
  BatchedFeedForwardTrace feed_forward = {};
};

// The views of a sublayer's trace that the backward pass needs, besides those of its norms.
struct SublayerNeeds {
  bool residual, normed;
};

// Gradients of a layer; a null view is not computed.
struct LayerGradients {
  TensorView<float, 3> d_x = {};           // [B, T, C], overwritten
  TensorView<float, 3> d_memory = {};      // [B, S, Cm], overwritten
  TensorView<float, 4> d_self_mask = {};   // [B, H, T, T], overwritten
  TensorView<float, 4> d_cross_mask = {};  // [B, H, T, S], overwritten
  BasicLayerWeights<float> weights = {};   // added to
};

// Dropout in training: the place of each dropout in the layer. -1: no dropout there.
struct LayerDropout {
  DropoutPlaces places = {};
  Index self_weights = -1, self = -1;    // self-attention's weights, and its output
  Index cross_weights = -1, cross = -1;  // the same of cross-attention
  Index activated = -1;                  // the output of the activation
  Index feed_forward = -1;               // the output of feed-forward

  // The options at a place where every batch has `rows` rows; none without dropout there.
  std::optional<DropoutOptions> at(Index place, Index rows) const {
    if (place < 0) return {};
    return places.at(place, rows);
  }
};

// A layer bound to its weights, and to the views that its trace fills. run() and backward() expect
// that check() and check_backward() have passed, or that the caller has laid out all memory of the
// layer.
struct Layer {
  BasicLayerWeights<const float> weights = {};
  LayerTrace trace = {};

  std::optional<NormOrder> order = NormOrder::post;  // none: no norm1, norm2 and norm3
  bool branch_norms = false;  // whether f's output is normalised before it is added
  bool parallel = false;  // whether the input of all functions is the layer's x; not with post-norm
  NormKind norm = NormKind::layer_norm;  // of all norms
  bool residuals = true;                 // false: f without the x + before it
  double eps = 1e-5;                     // of the norms
  Activation activation = Activation::relu;
  bool gated = false;                     // whether the feed-forward is gated
  MultiHeadOptions self_attention = {};   // heads, mask, rotary positions, cache, ...
  bool crosses = false;                   // whether there is cross-attention
  MultiHeadOptions cross_attention = {};  // its context is the memory
  std::optional<LayerDropout> dropout = {};
  // Called with the term [B, T, C] that attention or feed-forward adds to x; may change it.
  std::function<void(LayerPart, const TensorView<float, 3>&)> change_branch = {};

  // x and out are [B, T, C]. Without a trace, out may be x. If it throws, caches are unchanged.
  void run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
           const Context& context) const;
  // The backward pass from the gradient d_out of the output. run() must have filled the trace that
  // lay_out() made. d_x may be d_out.
  void backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                const LayerGradients& gradients, const Context& context) const;

  // Throws Error in the name of `call` unless the layouts of x and the memory are valid.
  void check_inputs(const char* call, const TensorView<const float, 3>& x) const;
  // Throw Error in the name of `call` unless everything fits the checked inputs. Errors name
  // weights and views of traces as the blocks do.
  void check(const char* call, const TensorView<const float, 3>& x,
             const TensorView<float, 3>& out) const;
  void check_backward(const char* call, const TensorView<const float, 3>& d_out,
                      const TensorView<const float, 3>& x, const LayerGradients& gradients) const;
  // Lays out in `memory` the trace that the backward pass over x of this shape needs, without the
  // last sublayer's output. Throws Error in the name of `call` where the weights do not fit.
  void lay_out(const char* call, const Shape<3>& x, SavedMemory& memory);

  // The number of sublayers.
  std::size_t count() const noexcept { return crosses ? 3 : 2; }
  LayerPart part(std::size_t sublayer) const noexcept {
    if (sublayer == 0) return LayerPart::attention;
    return sublayer + 1 < count() ? LayerPart::cross_attention : LayerPart::feed_forward;
  }
  // The norm's weights of a sublayer, or their gradients.
  template <typename T>
  static const BasicNormWeights<T>& norm_of(const BasicLayerWeights<T>& weights,
                                            std::size_t sublayer) noexcept {
    return sublayer == 0 ? weights.norm1 : sublayer == 1 ? weights.norm2 : weights.norm3;
  }
  template <typename T>
  static const BasicNormWeights<T>& branch_norm_of(const BasicLayerWeights<T>& weights,
                                                   std::size_t sublayer) noexcept {
    return sublayer == 0   ? weights.branch_norm1
           : sublayer == 1 ? weights.branch_norm2
                           : weights.branch_norm3;
  }
  // The feed-forward over x's tokens, with the dropout of its activation.
  FeedForward feed_forward(Index tokens) const;
  SublayerNeeds needs(std::size_t sublayer) const noexcept {
    const bool post = order == NormOrder::post;
    const bool is_input = sublayer + 1 < count() && !parallel;  // its output, of the next
    return {post || is_input, order == NormOrder::pre || (post && is_input)};
  }
  // The view of the trace for the output of a sublayer.
  const TensorView<float, 3>& output(std::size_t sublayer) const noexcept {
    const SublayerTrace& of = trace.sublayers[sublayer];
    return order == NormOrder::post ? of.normed : of.residual;
  }
  const TensorView<float, 3>& last_output() const noexcept { return output(count() - 1); }
  // Throws Error where there is a cache.
  void refuse_past(const char* call, const char* why) const;

 private:
  void run_sublayers(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                     const Context& context) const;
  void run_sublayer(std::size_t sublayer, const TensorView<const float, 3>& in,
                    const TensorView<const float, 3>& x, const TensorView<float, 3>& work,
                    const TensorView<float, 3>& out, const Context& context) const;
  // The view of the trace for the result that run_sublayer computes in `work`.
  const TensorView<float, 3>& first_of(const SublayerTrace& wanted) const noexcept {
    if (order == NormOrder::post) return wanted.residual;
    return order ? wanted.normed : wanted.unnormed;
  }
  void compute(LayerPart part, const TensorView<const float, 3>& in,
               const TensorView<float, 3>& out, const Context& context) const;
  void compute_backward(LayerPart part, const TensorView<const float, 3>& d,
                        const TensorView<const float, 3>& in, const TensorView<float, 3>& d_in,
                        const TensorView<float, 3>& dropped, const LayerGradients& gradients,
                        const Context& context) const;
  // Attention over x's tokens, with the dropout of its weights.
  MultiHead self_heads(Index tokens) const;
  MultiHead cross_heads(Index tokens) const;
};

// Throws Error in the name of `call` unless each of the parameters, named NAME.weight and
// NAME.bias, is a null view or has the shape [width].
void check_norm(const char* call, const Message& name, const NormWeights& norm, Index width);

// Rethrows `error`, from a check of one part of the arguments of `call`: "weight" becomes
// "PART.weight".
[[noreturn]] void fail_part(const char* call, const Message& part, const Error& error);

// Runs `check`, whose errors concern one part of the arguments.
template <typename Check>
void check_part(const char* call, const Message& part, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    fail_part(call, part, error);
  }
}

// Memory for results: the traced view, if there is one without gaps, so that nothing is copied;
// else working memory.
class WorkPlaces {
 public:
  WorkPlaces(Scratch& scratch, const Shape<3>& shape) noexcept : frame_(scratch), shape_(shape) {}

  TensorView<float, 3> or_new(const TensorView<float, 3>& wanted) {
    return wanted && wanted.is_contiguous() ? wanted : take();
  }
  // Memory that several results without a traced view share one after another.
  TensorView<float, 3> or_shared(const TensorView<float, 3>& wanted) {
    if (wanted && wanted.is_contiguous()) return wanted;
    if (!shared_) shared_ = take();
    return shared_;
  }

 private:
  TensorView<float, 3> take() {
    return {frame_.take<float>(shape_[0], shape_[1], shape_[2]), shape_};
  }

  Scratch::Frame frame_;
  Shape<3> shape_;
  TensorView<float, 3> shared_;
};

}  // namespace detail
}  // namespace tril
