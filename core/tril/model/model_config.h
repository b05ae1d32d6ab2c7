// What a language model is made of: one decoder-only Transformer, whose families are settings of it
// (model_family.h; norm_place and parallel: block/layer.h).
//
//   x = embedding of the tokens + of their positions, where these are learned
//   each layer:  x = x + attention(norm1(x)),  x = x + feed_forward(norm2(x))
//   logits = final_norm(x) E^T,  E the embedding, or a head of its own
//
// or an encoder-only one (BERT; Devlin et al. 2019), which has no head, and of which x is the
// result.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/activations.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/weights.h>

#include <cstdint>
#include <string_view>

namespace tril {

// Whose names the parameters have in files; bert is the one of encoders.
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
// The names of those of language models.
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
// And of encoders.
inline constexpr Named<ModelFamily> kEncoderFamilies[] = {{"bert", ModelFamily::bert}};
// The name of either.
constexpr std::string_view family_name(ModelFamily family) noexcept {
  const std::string_view name = name_of(kModelFamilies, family);
  return name.empty() ? name_of(kEncoderFamilies, family) : name;
}

// Whose names and order parameters have in a file: those of its family, or of GGUF files.
enum class ParameterNames : std::uint8_t { of_family, of_gguf };

// How rows are normalised at each sublayer, and at the end.
using ModelNorm = NormKind;
inline constexpr auto& kModelNorms = kNormKinds;

// What is normalised at a sublayer: its input, its output before it is added, both, each by weights
// of its own, or the sum, of which there is no final norm then (block/layer.h).
enum class ModelNormPlace : std::uint8_t { before, after, around, sum };
// The names of those of language models; the last is encoders'.
inline constexpr Named<ModelNormPlace> kModelNormPlaces[] = {{"before", ModelNormPlace::before},
                                                             {"after", ModelNormPlace::after},
                                                             {"around", ModelNormPlace::around}};

// Vectors added to the embedding, or queries and keys turned (layers/rotary_positions.h). None: a
// token knows its place by nothing but the mask.
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

// Sizes and settings; as they stand, nanoGPT's recipe for characters on a CPU (Karpathy 2022) but
// for the vocabulary, which the tokenizer says.
struct ModelConfig {
  ModelFamily family = ModelFamily::gpt2;                       // whose names and files
  ModelNorm norm = ModelNorm::layer_norm;                       // of each sublayer, and at the end
  ModelNormPlace norm_place = ModelNormPlace::before;           // where a sublayer has it
  ModelPositions positions = ModelPositions::learned;           // how a token knows its place
  ModelFeedForward feed_forward = ModelFeedForward::gelu_tanh;  // the second sublayer
  bool biases = true;                                           // of linear layers and layer norms
  // Of some where `biases` is false: of queries, keys and values, of these and attention's output,
  // of the feed-forward, of layer norms.
  bool projection_biases = false;
  bool attention_biases = false;
  bool feed_forward_biases = false;
  bool norm_biases = false;
  bool query_key_norm = false;    // queries and keys are normalised, each head by itself
  bool joint_heads_norm = false;  // if they are: all heads of a token together instead
  bool parallel = false;          // both sublayers are functions of the layer's x
  bool tied_head = true;          // logits by the embedding's matrix
  bool causal = true;             // false: every token sees all others, as a masked encoder's
  // What models are without, to see what it is for; none is known by these in files of others.
  bool scaled_scores = true;  // false: products of queries and keys are not over sqrt(D)
  bool residual = true;       // false: x = attention(norm1(x)),  x = feed_forward(norm2(x))
  Index layers = 4;           // L
  Index heads = 4;            // H, which divides width where head_dim is 0
  Index kv_heads = 0;         // Hk, which divides heads; 0: as many as heads
  Index head_dim = 0;         // D, the width of a head; 0: width / heads
  Index width = 128;          // C
  Index hidden = 0;      // F of the feed-forward; 0: 4 C, or gated 8 C / 3 up to a multiple of 16
  Index context = 64;    // the most tokens at once
  Index vocabulary = 0;  // V
  Index window = 0;      // keys that a query sees at most, its own included; 0: all
  Index window_period = 0;        // n: every nth layer sees all; 0: all layers have the window
  double eps = 1e-5;              // in the norms
  double rotary_base = 10000;     // a position turns pair i by base^(-2 i / R)
  Index rotary_width = 0;         // R, the elements of a head that are turned; 0: all
  double rotary_local_base = 0;   // in layers with a window, unscaled; 0: as in the others
  Index rotary_period = 0;        // n: every nth layer turns none; 0: all layers turn them
  bool scaled_embedding = false;  // tokens' vectors are times sqrt(C)
  double query_scale = 0;         // scores are over its root; 0: over that of D
  bool layer_scale = false;       // scores of layer n, from 0, are over n + 1, too
  double score_cap = 0;           // c: scores become c tanh(score / c); 0: they stay
  double logit_cap = 0;           // the same of logits
  // Of rotary positions. Of dynamic the length is the context, whatever it says, so that a token is
  // turned alike however many follow it; of longrope it is that of the text.
  RotaryScaling rotary_scaling = {};
  double dropout = 0;  // of embeddings, attention's weights, and what sublayers add, in training
  // Of encoders; a LanguageModel has none of these.
  Index token_types = 0;  // of which the vector of the first is added to each token's; 0: none
  bool embedding_norm = false;  // the sum of a token's vectors is normalised
  bool has_head = true;         // false: x after the last layer is the result

  // The settings of a family, as its authors have them; sizes as above.
  static ModelConfig of(ModelFamily family) noexcept;

  // What stands for 0.
  Index kv_head_count() const noexcept { return kv_heads > 0 ? kv_heads : heads; }
  Index head_width() const noexcept { return head_dim > 0 ? head_dim : width / heads; }
  // Of all heads of queries, E, and of all heads of keys.
  Index query_width() const noexcept { return heads * head_width(); }
  Index key_width() const noexcept { return kv_head_count() * head_width(); }
  Index hidden_width() const noexcept;
  // Rows of the feed-forward's first matrix: F, with a gate 2 F.
  Index inner_width() const noexcept { return is_gated() ? 2 * hidden_width() : hidden_width(); }
  Index turned_width() const noexcept { return rotary_width > 0 ? rotary_width : head_width(); }
  // Which have biases: queries, keys and values, attention's output, the feed-forward, norms.
  bool has_projection_biases() const noexcept { return has_output_bias() || projection_biases; }
  bool has_output_bias() const noexcept { return biases || attention_biases; }
  bool has_feed_forward_biases() const noexcept { return biases || feed_forward_biases; }
  bool has_norm_biases() const noexcept {
    return norm == ModelNorm::layer_norm && (biases || norm_biases);
  }
  // Whether a sublayer's input, its output, and the sum have norms of their own.
  bool norms_inputs() const noexcept {
    return norm_place == ModelNormPlace::before || norm_place == ModelNormPlace::around;
  }
  bool norms_outputs() const noexcept {
    return norm_place == ModelNormPlace::after || norm_place == ModelNormPlace::around;
  }
  bool norms_sums() const noexcept { return norm_place == ModelNormPlace::sum; }
  // Of the layer of a number, from 0.
  bool has_window(Index layer) const noexcept {
    return window > 0 && !is_nth(layer, window_period);
  }
  bool has_rotary(Index layer) const noexcept {
    return positions == ModelPositions::rotary && !is_nth(layer, rotary_period);
  }
  // Of the feed-forward.
  bool is_gated() const noexcept;
  Activation activation() const noexcept;
  // Whether a layer is the last of `period`.
  static bool is_nth(Index layer, Index period) noexcept {
    return period > 0 && (layer + 1) % period == 0;
  }

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// The settings for `context` tokens at once; 0: as many as they say. Rotary positions reach any
// number, and `dynamic` scaling turns them as for a text of that length. Throws Error in the name
// of `call`, naming "context", where it is out of range, or positions are learned for another
// number.
ModelConfig with_context(const ModelConfig& config, Index context, const char* call);

// Throws Error in the name of `call`, naming the setting, for sizes below 1, heads that do not
// divide, an odd width of heads to be turned, numbers out of range, and settings that exclude each
// other.
void check_model_config(const ModelConfig& config, const char* call);

}  // namespace tril
