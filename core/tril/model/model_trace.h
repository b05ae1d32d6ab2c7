// What a language model computes on the way from tokens to logits, and how it is changed there:
// heads, parts of layers and layers switched off, activations replaced by those of another text
// (activation patching; Meng et al. 2022).
#pragma once

#include <tril/block/layer.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/feed_forward.h>
#include <tril/model/model_weights.h>

#include <cstdint>
#include <vector>

namespace tril {

// What a trace has besides.
struct ModelTraceOptions {
  bool scores = false;  // [H, T, S] of each layer, as much as its weights take
};

// Of one layer, views to fill; none: not wanted. C is the model's width, T counts the tokens of the
// call, S those and all before. Names are TransformerLens' along the residual stream, and those of
// their own traces within attention and feed-forward.
struct ModelLayerTrace {
  MatrixView<float> ln1 = {};        // [T, C]: what attention is given, without a norm before it x
  MultiHeadTrace attention = {};     // B = 1: queries, keys, values, weights of every head, ...
  MatrixView<float> attn_out = {};   // [T, C]: what attention adds to the residual stream
  MatrixView<float> resid_mid = {};  // [T, C]: the residual stream after attention
  MatrixView<float> ln2 = {};        // [T, C]: what feed-forward is given
  FeedForwardTrace feed_forward = {};  // [T, F]; gated, hidden is [T, 2 F]
  MatrixView<float> mlp_out = {};      // [T, C]: what feed-forward adds to the residual stream
  MatrixView<float> resid_post = {};   // [T, C]: the residual stream after the layer
};

// Of all of it.
struct ModelTrace {
  MatrixView<float> embedded = {};           // [T, C]: tokens, and positions where they are learned
  std::vector<ModelLayerTrace> layers = {};  // none: not wanted
  MatrixView<float> ln_final = {};           // [T, C]: what the head is given, or would be

  // Whether nothing is wanted.
  bool is_empty() const noexcept { return !embedded && layers.empty() && !ln_final; }
};

// All of it, laid out in `memory`, for T tokens after `past` others: of attention queries, keys,
// both before their norms and before positions turn them where there are, values, weights, heads
// and, where they are asked for, scores. Throws Error as check_model_config does, and for T below 1
// or past below 0.
ModelTrace model_trace(const ModelConfig& config, Index tokens, Index past, SavedMemory& memory,
                       const ModelTraceOptions& options = {});

// What a head gives, [D], is replaced.
struct HeadIntervention {
  Index layer;                         // from 0
  Index head;                          // from 0
  Index position = -1;                 // of the token, from 0; -1: of all
  VectorView<const float> value = {};  // [D], borrowed; none: 0
};

// What a part of a layer adds to the residual stream, [C], is replaced.
struct SublayerIntervention {
  Index layer;                         // from 0
  LayerPart sublayer;                  // which part
  Index position = -1;                 // of the token, from 0; -1: of all
  VectorView<const float> value = {};  // [C], borrowed; none: 0
};

// The residual stream, [C], is replaced.
struct ResidualIntervention {
  Index layers;                        // after so many of them; 0: what is embedded
  Index position = -1;                 // of the token, from 0; -1: of all
  VectorView<const float> value = {};  // [C], borrowed; none: 0
};

// All that is changed, in this order.
struct Interventions {
  std::vector<Index> without_layers = {};            // these add nothing
  std::vector<HeadIntervention> heads = {};          // before they go through the output projection
  std::vector<SublayerIntervention> sublayers = {};  // before it is added
  std::vector<ResidualIntervention> residual = {};   // after a layer

  // Whether nothing is changed.
  bool is_empty() const noexcept {
    return without_layers.empty() && heads.empty() && sublayers.empty() && residual.empty();
  }
};

// Throws Error in the name of `call` where there is no such layer or head, a value has another
// width, or one is for what a layer that is left out would give.
void check_interventions(const ModelConfig& config, const Interventions& changes, const char* call);

}  // namespace tril
