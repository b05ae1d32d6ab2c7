// The Transformer layer. Its sublayers are self-attention, cross-attention to a memory where there
// is one, and feed-forward: each a function f with a residual connection and a norm,
//
//   post-norm      out = norm(x + f(x))         (Vaswani et al. 2017)
//   pre-norm       out = x + f(norm(x))         (Xiong et al. 2020)
//   sandwich       out = x + norm(f(norm(x)))   (Ding et al. 2021; Gemma 2 and 3)
//   of the branch  out = x + norm(f(x))         (Liu et al. 2022; OLMo 2)
//
// over x and out [B, T, C]. Sublayers follow each other, each with the output of the one before for
// its x, or in a parallel layer (GPT-J, GPT-NeoX, Phi) all functions are of the layer's x:
//
//   out = x + f1(norm1(x)) + f2(norm2(x))
//
// The Transformer block, the decoder block and the layer of a language
// model are this layer by their own names.
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

// Their names.
inline constexpr Named<NormOrder> kNormOrders[] = {{"post", NormOrder::post},
                                                   {"pre", NormOrder::pre}};

// By the names of nn.TransformerDecoderLayer's state_dict; biases and norms may be none. Without
// cross-attention there are no multihead_attn and norm3, and norm2 is that of feed-forward.
template <typename T>
struct BasicLayerWeights {
  BasicMultiHeadWeights<T> self_attn = {};       // its keys and values come from x
  BasicMultiHeadWeights<T> multihead_attn = {};  // its keys and values come from the memory
  BasicLinearWeights<T> linear1 = {};            // [F, C]; gated [2 F, C], the gate above
  BasicLinearWeights<T> linear2 = {};            // [C, F]
  BasicNormWeights<T> norm1 = {};                // of self-attention
  BasicNormWeights<T> norm2 = {};                // of cross-attention
  BasicNormWeights<T> norm3 = {};                // of feed-forward
  // Of the outputs of the three functions, where these are normalised before they are added.
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

// What is computed in a sublayer, to be kept; none: not wanted. All [B, T, C].
struct SublayerTrace {
  TensorView<float, 3> branch = {};    // what is added to x: f's output, or its norm
  TensorView<float, 3> residual = {};  // x + that
  // The output of norm1, norm2 or norm3; with none of these, what f is given: its input.
  TensorView<float, 3> normed = {};
  NormTrace norm = {};                 // of what that was given
  TensorView<float, 3> unnormed = {};  // f's output before its norm
  NormTrace branch_norm = {};          // of that
};

// What is computed in a layer.
struct LayerTrace {
  MultiHeadTrace self_attn = {}, multihead_attn = {};
  std::array<SublayerTrace, 3> sublayers = {};  // as many as there are
  BatchedFeedForwardTrace feed_forward = {};
};

// What the backward pass needs of a sublayer's trace, besides its norms'.
struct SublayerNeeds {
  bool residual, normed;
};

// Gradients of a layer; those that are not given are not computed.
struct LayerGradients {
  TensorView<float, 3> d_x = {};           // [B, T, C], overwritten
  TensorView<float, 3> d_memory = {};      // [B, S, Cm], overwritten
  TensorView<float, 4> d_self_mask = {};   // [B, H, T, T], overwritten
  TensorView<float, 4> d_cross_mask = {};  // [B, H, T, S], overwritten
  BasicLayerWeights<float> weights = {};   // added to
};

// In training: at which places a layer leaves out. -1: nothing is left out there.
struct LayerDropout {
  DropoutPlaces places = {};
  Index self_weights = -1, self = -1;    // self-attention's weights, and its output
  Index cross_weights = -1, cross = -1;  // cross-attention's
  Index activated = -1;                  // what the activation gives
  Index feed_forward = -1;               // feed-forward's output

  // Where every batch has so many rows; none where nothing is left out.
  std::optional<DropoutOptions> at(Index place, Index rows) const {
    if (place < 0) return {};
    return places.at(place, rows);
  }
};

// A layer bound to its weights, and to the views that its trace fills. run() and backward() expect
// that check() and check_backward() have passed, or that who binds the layer has laid out all of
// it.
struct Layer {
  BasicLayerWeights<const float> weights = {};
  LayerTrace trace = {};

  std::optional<NormOrder> order = NormOrder::post;  // none: without norm1, norm2 and norm3
  bool branch_norms = false;  // whether f's output is normalised before it is added
  bool parallel = false;      // whether all functions are of the layer's x; not with post-norm
  NormKind norm = NormKind::layer_norm;  // of all norms
  bool residuals = true;                 // false: without the x + before f
  double eps = 1e-5;                     // of the norms
  Activation activation = Activation::relu;
  bool gated = false;                     // the feed-forward
  MultiHeadOptions self_attention = {};   // heads, mask, rotary positions, cache, ...
  bool crosses = false;                   // whether there is cross-attention
  MultiHeadOptions cross_attention = {};  // its context is the memory
  std::optional<LayerDropout> dropout = {};
  // Called with what attention and feed-forward add [B, T, C]; may change it.
  std::function<void(LayerPart, const TensorView<float, 3>&)> change_branch = {};

  // x and out [B, T, C]. out may be x where no trace is wanted. Where it throws, caches are as they
  // were.
  void run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
           const Context& context) const;
  // From the gradient d_out of the output, with the trace that run() filled as lay_out() made it.
  // d_x may be d_out.
  void backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                const LayerGradients& gradients, const Context& context) const;

  // Throws Error in the name of `call` unless x and the memory are laid out as calls expect.
  void check_inputs(const char* call, const TensorView<const float, 3>& x) const;
  // Throw Error in the name of `call`, naming weights and views of traces as the blocks do, unless
  // everything fits inputs that have been checked.
  void check(const char* call, const TensorView<const float, 3>& x,
             const TensorView<float, 3>& out) const;
  void check_backward(const char* call, const TensorView<const float, 3>& d_out,
                      const TensorView<const float, 3>& x, const LayerGradients& gradients) const;
  // Makes the trace what the backward pass over x of this shape needs, laid out in `memory`; the
  // last sublayer's output is not part of it. Throws Error in the name of `call` where the weights
  // do not fit.
  void lay_out(const char* call, const Shape<3>& x, SavedMemory& memory);

  // How many sublayers there are.
  std::size_t count() const noexcept { return crosses ? 3 : 2; }
  LayerPart part(std::size_t sublayer) const noexcept {
    if (sublayer == 0) return LayerPart::attention;
    return sublayer + 1 < count() ? LayerPart::cross_attention : LayerPart::feed_forward;
  }
  // The norm's weights of a sublayer, of these or of their gradients.
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
  // Over x's tokens, with the dropout of what is activated.
  FeedForward feed_forward(Index tokens) const;
  SublayerNeeds needs(std::size_t sublayer) const noexcept {
    const bool post = order == NormOrder::post;
    const bool is_input = sublayer + 1 < count() && !parallel;  // its output, of the next
    return {post || is_input, order == NormOrder::pre || (post && is_input)};
  }
  // Where the trace has the output of a sublayer.
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
  // Where the trace wants what run_sublayer computes in `work`.
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

// Throws Error in the name of `call` unless the parameters, called NAME.weight and NAME.bias, are
// [width] or none.
void check_norm(const char* call, const Message& name, const NormWeights& norm, Index width);

// Throws `error`, of a call for a part of what `call` was given: "weight" becomes "PART.weight".
[[noreturn]] void fail_part(const char* call, const Message& part, const Error& error);

// Runs `check`, whose errors are about a part.
template <typename Check>
void check_part(const char* call, const Message& part, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    fail_part(call, part, error);
  }
}

// Where what is computed lies: in the trace, where it asks for it and has no gaps, so that nothing
// is copied; else in working memory.
class WorkPlaces {
 public:
  WorkPlaces(Scratch& scratch, const Shape<3>& shape) noexcept : frame_(scratch), shape_(shape) {}

  TensorView<float, 3> or_new(const TensorView<float, 3>& wanted) {
    return wanted && wanted.is_contiguous() ? wanted : take();
  }
  // What is taken for several that need it one after another.
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
