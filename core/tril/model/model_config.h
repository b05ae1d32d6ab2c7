// The settings of a language model: one decoder-only Transformer, which the settings turn into each
// family (model_family.h; block/layer.h explains norm_place and parallel).
//
//   x = embedding of the tokens + of their positions, where these are learned
//   each layer:  x = x + attention(norm1(x)),  x = x + feed_forward(norm2(x))
//   logits = final_norm(x) E^T,  E the embedding, or a head of its own
//
// or an encoder-only one (BERT; Devlin et al. 2019), which has no head and whose result is x.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/activations.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/weights.h>

#include <cstdint>
#include <string_view>

namespace tril {

// The families, which determine the names of parameters in files; bert is an encoder.
enum class ModelFamily : std::uint8_t {
  gpt2,
  llama,
  qwen2,
  qwen3,
  mistral,
  olmo2,
  gpt_neox,
  phi3,
  gemma2,
  gemma3_text,
  starcoder2,
  stablelm,
  smollm3,
  bert
};
// The names of the families of language models.
inline constexpr Named<ModelFamily> kModelFamilies[] = {{"gpt2", ModelFamily::gpt2},
                                                        {"llama", ModelFamily::llama},
                                                        {"qwen2", ModelFamily::qwen2},
                                                        {"qwen3", ModelFamily::qwen3},
                                                        {"mistral", ModelFamily::mistral},
                                                        {"olmo2", ModelFamily::olmo2},
                                                        {"gpt_neox", ModelFamily::gpt_neox},
                                                        {"phi3", ModelFamily::phi3},
                                                        {"gemma2", ModelFamily::gemma2},
                                                        {"gemma3_text", ModelFamily::gemma3_text},
                                                        {"starcoder2", ModelFamily::starcoder2},
                                                        {"stablelm", ModelFamily::stablelm},
                                                        {"smollm3", ModelFamily::smollm3}};
// The names of the families of encoders.
inline constexpr Named<ModelFamily> kEncoderFamilies[] = {{"bert", ModelFamily::bert}};
// The name of any family.
constexpr std::string_view family_name(ModelFamily family) noexcept {
  const std::string_view name = name_of(kModelFamilies, family);
  return name.empty() ? name_of(kEncoderFamilies, family) : name;
}

// The names and the order of parameters in a file: those of the family, or those of GGUF.
enum class ParameterNames : std::uint8_t { of_family, of_gguf };

// The norm of every sublayer and the final norm.
using ModelNorm = NormKind;
inline constexpr auto& kModelNorms = kNormKinds;

// The input of a sublayer's norm: the sublayer's input, its output before the addition, both with
// separate weights, or the sum, without a final norm (block/layer.h).
enum class ModelNormPlace : std::uint8_t { before, after, around, sum };
// The names for language models; `sum` is for encoders.
inline constexpr Named<ModelNormPlace> kModelNormPlaces[] = {{"before", ModelNormPlace::before},
                                                             {"after", ModelNormPlace::after},
                                                             {"around", ModelNormPlace::around}};

// The encoding of positions: vectors added to the embedding, rotations of queries and keys
// (layers/rotary_positions.h), or none but the mask.
enum class ModelPositions : std::uint8_t { learned, rotary, none };
// Their names.
inline constexpr Named<ModelPositions> kModelPositions[] = {{"learned", ModelPositions::learned},
                                                            {"rotary", ModelPositions::rotary},
                                                            {"none", ModelPositions::none}};

// gelu_tanh: gelu(x W1^T) W2^T;  swiglu: (silu(x Wg^T) * (x Wu^T)) W2^T (Shazeer 2020). gelu and
// relu are gelu_tanh with the exact gelu or relu; geglu, geglu_tanh and reglu are swiglu with a
// gelu or relu for silu.
enum class ModelFeedForward : std::uint8_t {
  gelu_tanh,
  swiglu,
  gelu,
  geglu,
  geglu_tanh,
  relu,
  reglu
};
// Their names.
inline constexpr Named<ModelFeedForward> kModelFeedForwards[] = {
    {"gelu_tanh", ModelFeedForward::gelu_tanh},
    {"swiglu", ModelFeedForward::swiglu},
    {"gelu", ModelFeedForward::gelu},
    {"geglu", ModelFeedForward::geglu},
    {"geglu_tanh", ModelFeedForward::geglu_tanh},
    {"relu", ModelFeedForward::relu},
    {"reglu", ModelFeedForward::reglu}};

// Sizes and settings. The defaults are nanoGPT's recipe for characters on a CPU (Karpathy 2022);
// the vocabulary depends on the tokenizer.
struct ModelConfig {
  ModelFamily family = ModelFamily::gpt2;              // the names in its files
  ModelNorm norm = ModelNorm::layer_norm;              // of each sublayer, and the final norm
  ModelNormPlace norm_place = ModelNormPlace::before;  // what a sublayer normalises
  ModelPositions positions = ModelPositions::learned;  // the encoding of positions
  ModelFeedForward feed_forward = ModelFeedForward::gelu_tanh;  // the second sublayer
  bool biases = true;                                           // in linear layers and layer norms
  // Biases of some layers where `biases` is false: queries, keys and values; these and attention's
  // output; feed-forward; layer norms.
  bool projection_biases = false;
  bool attention_biases = false;
  bool feed_forward_biases = false;
  bool norm_biases = false;
  bool query_key_norm = false;    // queries and keys are normalised head by head
  bool joint_heads_norm = false;  // queries and keys are normalised over all heads of a token
  bool parallel = false;          // both sublayers read the layer's input
  bool tied_head = true;          // the head is the embedding's matrix
  bool causal = true;             // false: every token sees all others, as in a masked encoder
  // Ablations for teaching; no published config uses them.
  bool scaled_scores = true;  // false: scores are not divided by sqrt(D)
  bool residual = true;       // false: x = attention(norm1(x)),  x = feed_forward(norm2(x))
  Index layers = 4;           // L
  Index heads = 4;            // H, which divides width where head_dim is 0
  Index kv_heads = 0;         // Hk, which divides heads; 0: as many as heads
  Index head_dim = 0;         // D, the width of a head; 0: width / heads
  Index width = 128;          // C
  Index hidden = 0;      // F of the feed-forward; 0: 4 C, or gated 8 C / 3 up to a multiple of 16
  Index context = 64;    // maximum number of tokens
  Index vocabulary = 0;  // V
  Index window = 0;      // maximum number of keys that a query sees, with its own; 0: all
  Index window_period = 0;        // n: every nth layer has no window; 0: all layers have it
  double eps = 1e-5;              // of the norms
  double rotary_base = 10000;     // a position rotates pair i by base^(-2 i / R)
  Index rotary_width = 0;         // R, the rotated elements of a head; 0: all
  double rotary_local_base = 0;   // base of layers with a window, unscaled; 0: the same
  Index rotary_period = 0;        // n: every nth layer does not rotate; 0: all layers do
  bool scaled_embedding = false;  // the embedding is multiplied by sqrt(C)
  double query_scale = 0;         // scores are divided by its root; 0: by that of D
  bool layer_scale = false;       // scores of layer n, from 0, are also divided by n + 1
  double score_cap = 0;           // c: scores become c tanh(score / c); 0: no cap
  double logit_cap = 0;           // the same for logits
  // The scaling of rotary positions; its `length` is ignored. `dynamic` uses the context instead,
  // so that the rotation of a token does not depend on how many follow it; `longrope` uses the
  // length of the text.
  RotaryScaling rotary_scaling = {};
  double dropout = 0;  // of embeddings, attention weights and sublayer outputs, in training
  // Settings of encoders; a LanguageModel uses none of these.
  Index token_types = 0;        // the vector of type 0 is added to every token; 0: no types
  bool embedding_norm = false;  // whether the sum of a token's vectors is normalised
  bool has_head = true;         // false: the result is x after the last layer

  // The settings of a family as its authors chose them, with the sizes above.
  static ModelConfig of(ModelFamily family) noexcept;

  // The values for which 0 stands.
  Index kv_head_count() const noexcept { return kv_heads > 0 ? kv_heads : heads; }
  Index head_width() const noexcept { return head_dim > 0 ? head_dim : width / heads; }
  // The width of all query heads, E, and of all key heads.
  Index query_width() const noexcept { return heads * head_width(); }
  Index key_width() const noexcept { return kv_head_count() * head_width(); }
  Index hidden_width() const noexcept;
  // The rows of the feed-forward's first matrix: F, or 2 F with a gate.
  Index inner_width() const noexcept { return is_gated() ? 2 * hidden_width() : hidden_width(); }
  Index turned_width() const noexcept { return rotary_width > 0 ? rotary_width : head_width(); }
  // Whether queries, keys and values, attention's output, the feed-forward, and norms have biases.
  bool has_projection_biases() const noexcept { return has_output_bias() || projection_biases; }
  bool has_output_bias() const noexcept { return biases || attention_biases; }
  bool has_feed_forward_biases() const noexcept { return biases || feed_forward_biases; }
  bool has_norm_biases() const noexcept {
    return norm == ModelNorm::layer_norm && (biases || norm_biases);
  }
  // Whether a sublayer normalises its input, its output, and the sum.
  bool norms_inputs() const noexcept {
    return norm_place == ModelNormPlace::before || norm_place == ModelNormPlace::around;
  }
  bool norms_outputs() const noexcept {
    return norm_place == ModelNormPlace::after || norm_place == ModelNormPlace::around;
  }
  bool norms_sums() const noexcept { return norm_place == ModelNormPlace::sum; }
  // Properties of layer number `layer`, from 0.
  bool has_window(Index layer) const noexcept {
    return window > 0 && !is_nth(layer, window_period);
  }
  bool has_rotary(Index layer) const noexcept {
    return positions == ModelPositions::rotary && !is_nth(layer, rotary_period);
  }
  // Properties of the feed-forward.
  bool is_gated() const noexcept;
  Activation activation() const noexcept;
  // Whether a layer is the last of a group of `period` layers.
  static bool is_nth(Index layer, Index period) noexcept {
    return period > 0 && (layer + 1) % period == 0;
  }

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// The settings with another context; 0: unchanged. Rotary positions allow any context, and
// `dynamic` scaling rotates them as for a text of that length. Throws Error in the name of `call`,
// naming "context", where it is out of range or differs from that of learned positions.
ModelConfig with_context(const ModelConfig& config, Index context, const char* call);

// Throws Error in the name of `call`, naming the setting, for sizes below 1, heads that do not
// divide, an odd width of rotated heads, numbers out of range, and settings that exclude each
// other.
void check_model_config(const ModelConfig& config, const char* call);

}  // namespace tril
