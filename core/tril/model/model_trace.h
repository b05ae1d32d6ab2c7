// The intermediate results of a language model between tokens and logits, and changes to them:
// ablations of heads, sublayers and layers, and activation patching, which replaces activations by
// those of another text (Meng et al. 2022).
#pragma once

#include <tril/block/layer.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/feed_forward.h>
#include <tril/model/model_weights.h>

#include <cstdint>
#include <vector>

namespace tril {

// The optional fields of a trace.
struct ModelTraceOptions {
  bool scores = false;  // [H, T, S] for each layer, as large as its attention weights
};

// The views of a layer to fill; a null view is not filled. C is the model's width, T the number of
// tokens of the call, S the number of these and all earlier tokens. The names along the residual
// stream are TransformerLens'; attention and feed-forward have their own traces.
struct ModelLayerTrace {
  MatrixView<float> ln1 = {};       // [T, C]: input of attention; without a norm, the layer's input
  MultiHeadTrace attention = {};    // B = 1: queries, keys, values, weights of every head, ...
  MatrixView<float> attn_out = {};  // [T, C]: output of attention, added to the residual stream
  MatrixView<float> resid_mid = {};    // [T, C]: the residual stream after attention
  MatrixView<float> ln2 = {};          // [T, C]: input of the feed-forward
  FeedForwardTrace feed_forward = {};  // [T, F]; gated, hidden is [T, 2 F]
  MatrixView<float> mlp_out = {};      // [T, C]: output of the feed-forward, added to the stream
  MatrixView<float> resid_post = {};   // [T, C]: the residual stream after the layer

  // Calls visit(the member's name in errors, the member of each struct) for every member, also of
  // its parts.
  template <typename Visit, typename... Traces>
  static void for_each_member(const Visit& visit, Traces&... each) {
    visit("trace.ln1", each.ln1...);
    MultiHeadTrace::for_each_member(visit, each.attention...);
    visit("trace.attn_out", each.attn_out...);
    visit("trace.resid_mid", each.resid_mid...);
    visit("trace.ln2", each.ln2...);
    visit("trace.hidden", each.feed_forward.hidden...);
    visit("trace.activated", each.feed_forward.activated...);
    visit("trace.mlp_out", each.mlp_out...);
    visit("trace.resid_post", each.resid_post...);
  }
};

// The views of a model to fill.
struct ModelTrace {
  MatrixView<float> embedded = {};           // [T, C]: embedding of tokens and of learned positions
  std::vector<ModelLayerTrace> layers = {};  // empty: not traced
  MatrixView<float> ln_final = {};  // [T, C]: input of the head, even if the head is not run

  // Whether nothing is traced.
  bool is_empty() const noexcept { return !embedded && layers.empty() && !ln_final; }
};

// The complete trace for T tokens after `past` others, laid out in `memory`. The trace of attention
// has queries and keys (also before norm and before rotation, if the model has these), values,
// weights, heads and, with options.scores, scores. Throws the errors of check_model_config, and
// Error for T below 1 or past below 0.
ModelTrace model_trace(const ModelConfig& config, Index tokens, Index past, SavedMemory& memory,
                       const ModelTraceOptions& options = {});

namespace detail {

// Null views with the shapes of a layer's trace, for T tokens after `past` others.
ModelLayerTrace trace_shapes(const ModelConfig& config, const MultiHeadWeights& weights,
                             Index tokens, Index past) noexcept;

}  // namespace detail

// Replaces the output [D] of a head.
struct HeadIntervention {
  Index layer;                         // from 0
  Index head;                          // from 0
  Index position = -1;                 // of the token, from 0; -1: all tokens
  VectorView<const float> value = {};  // [D], borrowed; a null view: zeros
};

// Replaces the output [C] of a sublayer, which is added to the residual stream.
struct SublayerIntervention {
  Index layer;                         // from 0
  LayerPart sublayer;                  // attention or feed-forward
  Index position = -1;                 // of the token, from 0; -1: all tokens
  VectorView<const float> value = {};  // [C], borrowed; a null view: zeros
};

// Replaces the residual stream [C].
struct ResidualIntervention {
  Index layers;                        // the number of layers before the change; 0: the embedding
  Index position = -1;                 // of the token, from 0; -1: all tokens
  VectorView<const float> value = {};  // [C], borrowed; a null view: zeros
};

// All changes, in the order of their application.
struct Interventions {
  std::vector<Index> without_layers = {};            // the output of each layer is its input
  std::vector<HeadIntervention> heads = {};          // before the output projection
  std::vector<SublayerIntervention> sublayers = {};  // before the addition
  std::vector<ResidualIntervention> residual = {};   // after a layer

  // Whether nothing is changed.
  bool is_empty() const noexcept {
    return without_layers.empty() && heads.empty() && sublayers.empty() && residual.empty();
  }
};

// Throws Error in the name of `call` if a layer or head does not exist, a value has the wrong
// width, or a change belongs to an ablated layer.
void check_interventions(const ModelConfig& config, const Interventions& changes, const char* call);

}  // namespace tril
