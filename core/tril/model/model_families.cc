// The table of families. Names and defaults are those of transformers' configuration_NAME.py and
// modeling_NAME.py.
#include <tril/model/model_family.h>

#include <algorithm>

namespace tril::detail {
namespace {

using enum StoredProjections;
constexpr Refused kNoWindow{"use_sliding_window", "must be false: every token sees all before it"};

constexpr void set_gemma(ModelConfig& config) {
  config.norm_place = ModelNormPlace::around;
  config.feed_forward = ModelFeedForward::geglu_tanh;
  config.tied_head = config.scaled_embedding = true;
  config.window = 4096;
  config.query_scale = 256;
}

// Gemma Team 2024
constexpr FamilyEntry kGemma2{.family = ModelFamily::gemma2,
                              .architecture = "Gemma2ForCausalLM",
                              .set =
                                  [](ModelConfig& config) {
                                    set_gemma(config);
                                    config.window_period = 2;
                                    config.score_cap = 50, config.logit_cap = 30;
                                  },
                              .default_kv_heads = 4,
                              .default_head_dim = 256,
                              .default_context = 8192,
                              .activation = "hidden_activation",
                              .default_activation = "gelu_pytorch_tanh",
                              .window = "sliding_window",
                              .window_period = "sliding_window_pattern",
                              .query_scale = "query_pre_attn_scalar",
                              .score_cap = "attn_logit_softcapping",
                              .logit_cap = "final_logit_softcapping",
                              .must_be_false = {{"use_bidirectional_attention"}},
                              .branch_norm1 = "post_attention_layernorm",
                              .norm2 = "pre_feedforward_layernorm",
                              .branch_norm2 = "post_feedforward_layernorm",
                              .added_to_norms = 1};

// Gemma Team 2025
constexpr FamilyEntry gemma3() {
  FamilyEntry entry = kGemma2;
  entry.family = ModelFamily::gemma3_text;
  entry.architecture = "Gemma3ForCausalLM";
  entry.set = [](ModelConfig& config) {
    set_gemma(config);
    config.query_key_norm = true;
    config.window_period = 6;
    config.rotary_base = 1e6, config.rotary_local_base = 1e4;
  };
  entry.rotary_local_base = "rope_local_base_freq";
  entry.whole = "gemma3";
  entry.default_heads = 8;
  entry.default_context = 131072;
  entry.default_vocabulary = 262208;
  entry.prefix = "language_model.";
  entry.ignored_beginnings[0] = "vision_tower.";
  entry.ignored_beginnings[1] = "multi_modal_projector.";
  return entry;
}

constexpr FamilyEntry kFamilies[] = {
    // Radford et al. 2019
    {.family = ModelFamily::gpt2,
     .architecture = "GPT2LMHeadModel",
     .set = [](ModelConfig& config) { config = {}; },
     .layer_count = "n_layer",
     .heads = "n_head",
     .kv_heads = nullptr,
     .head_dim = nullptr,
     .width = "n_embd",
     .hidden = "n_inner",
     .needs_hidden = false,
     .context = "n_positions",
     .default_context = 1024,
     .activation = "activation_function",
     .default_activation = "gelu_new",
     .eps = "layer_norm_epsilon",
     .default_eps = 1e-5,
     .rotary_base = nullptr,
     .dropouts = {"resid_pdrop", "embd_pdrop", "attn_pdrop"},
     .default_dropout = 0.1,
     .scaled_scores = "scale_attn_weights",
     .layer_scale = "scale_attn_by_inverse_layer_idx",
     .prefix = "transformer.",
     .embedding = "wte.weight",
     .positions = "wpe.weight",
     .layers = "h.",
     .norm1 = "ln_1",
     .branch_norm1 = "ln_1_post",
     .norm2 = "ln_2",
     .branch_norm2 = "ln_2_post",
     .attention = "attn.",
     .projections = stacked,
     .query_key_value = "c_attn",
     .attention_out = "c_proj",
     .gate = nullptr,
     .up = "mlp.c_fc",
     .down = "mlp.c_proj",
     .final_norm = "ln_f",
     .transposed = true,
     .ignored_endings = {".attn.bias", ".attn.masked_bias"}},
    // Touvron et al. 2023
    {.family = ModelFamily::llama,
     .architecture = "LlamaForCausalLM",
     .attention_biases = "attention_bias",
     .mlp_biases = "mlp_bias"},
    // Yang et al. 2024
    {.family = ModelFamily::qwen2,
     .architecture = "Qwen2ForCausalLM",
     .set = [](ModelConfig& config) { config.projection_biases = true; },
     .default_context = 32768,
     .must_be_false = {kNoWindow}},
    // Yang et al. 2025
    {.family = ModelFamily::qwen3,
     .architecture = "Qwen3ForCausalLM",
     .set = [](ModelConfig& config) { config.query_key_norm = true; },
     .default_head_dim = 128,
     .default_context = 32768,
     .must_be_false = {kNoWindow}},
    // Jiang et al. 2023
    {.family = ModelFamily::mistral,
     .architecture = "MistralForCausalLM",
     .set = [](ModelConfig& config) { config.window = 4096; },
     .default_kv_heads = 8,
     .default_context = 131072,
     .window = "sliding_window"},
    // OLMo et al. 2024
    {.family = ModelFamily::olmo2,
     .architecture = "Olmo2ForCausalLM",
     .set =
         [](ModelConfig& config) {
           config.norm_place = ModelNormPlace::after;
           config.query_key_norm = config.joint_heads_norm = true;
         },
     .default_eps = 1e-5,
     .branch_norm1 = "post_attention_layernorm",
     .norm2 = "pre_feedforward_layernorm",
     .branch_norm2 = "post_feedforward_layernorm"},
    // Black et al. 2022; Biderman et al. 2023
    {.family = ModelFamily::gpt_neox,
     .architecture = "GPTNeoXForCausalLM",
     .set =
         [](ModelConfig& config) {
           config.norm = ModelNorm::layer_norm;
           config.feed_forward = ModelFeedForward::gelu;
           config.biases = config.parallel = true;
         },
     .kv_heads = nullptr,
     .head_dim = nullptr,
     .default_activation = "gelu",
     .eps = "layer_norm_eps",
     .default_eps = 1e-5,
     .rotary_base = "rotary_emb_base",
     .rotary_share = "rotary_pct",
     .default_rotary_share = 0.25,
     .parallel = "use_parallel_residual",
     .embedding = "gpt_neox.embed_in.weight",
     .positions = "gpt_neox.embed_positions.weight",
     .layers = "gpt_neox.layers.",
     .attention = "attention.",
     .projections = by_head,
     .query_key_value = "query_key_value",
     .attention_out = "dense",
     .gate = nullptr,
     .up = "mlp.dense_h_to_4h",
     .down = "mlp.dense_4h_to_h",
     .final_norm = "gpt_neox.final_layer_norm",
     .head = "embed_out.weight",
     .ignored_endings = {".rotary_emb.inv_freq", ".attention.bias", ".attention.masked_bias"}},
    // Abdin et al. 2024
    {.family = ModelFamily::phi3,
     .architecture = "Phi3ForCausalLM",
     .default_context = 4096,
     .default_eps = 1e-5,
     .default_original = 4096,
     .window = "sliding_window",
     .projections = stacked,
     .query_key_value = "qkv_proj",
     .gate = nullptr,
     .up = "mlp.gate_up_proj"},
    kGemma2,
    gemma3(),
    // Lozhkov et al. 2024
    {.family = ModelFamily::starcoder2,
     .architecture = "Starcoder2ForCausalLM",
     .set =
         [](ModelConfig& config) {
           config.norm = ModelNorm::layer_norm;
           config.feed_forward = ModelFeedForward::gelu_tanh;
           config.biases = config.norm_biases = config.tied_head = true;
         },
     .default_kv_heads = 2,
     .default_context = 4096,
     .default_activation = "gelu_pytorch_tanh",
     .eps = "norm_epsilon",
     .default_eps = 1e-5,
     .window = "sliding_window",
     .biases = "use_bias",
     .gate = nullptr,
     .up = "mlp.c_fc",
     .down = "mlp.c_proj"},
    // Bellagente et al. 2024
    {.family = ModelFamily::stablelm,
     .architecture = "StableLmForCausalLM",
     .set =
         [](ModelConfig& config) {
           config.norm = ModelNorm::layer_norm;
           config.norm_biases = true;
         },
     .head_dim = nullptr,
     .default_context = 4096,
     .eps = "layer_norm_eps",
     .default_eps = 1e-5,
     .default_rotary_share = 0.25,
     .projection_biases = "use_qkv_bias",
     .must_be_false = {{"use_parallel_residual"}, {"qk_layernorm"}}},
    // Bakouch et al. 2025
    {.family = ModelFamily::smollm3,
     .architecture = "SmolLM3ForCausalLM",
     .set =
         [](ModelConfig& config) {
           config.tied_head = true;
           config.rotary_base = 2e6, config.rotary_period = 4;
         },
     .default_kv_heads = 4,
     .default_context = 32768,
     .rotary_period = "no_rope_layer_interval",
     .attention_biases = "attention_bias",
     .mlp_biases = "mlp_bias",
     .must_be_false = {kNoWindow}},
    // Devlin et al. 2019
    {.family = ModelFamily::bert,
     .architecture = "BertModel",
     .set =
         [](ModelConfig& config) {
           config = {};
           config.norm_place = ModelNormPlace::sum;
           config.feed_forward = ModelFeedForward::gelu;
           config.causal = config.has_head = false;
           config.embedding_norm = true;
           config.token_types = 2;
         },
     .kv_heads = nullptr,
     .head_dim = nullptr,
     .default_context = 512,
     .default_activation = "gelu",
     .eps = "layer_norm_eps",
     .default_eps = 1e-12,
     .rotary_base = nullptr,
     .dropouts = {"hidden_dropout_prob", "attention_probs_dropout_prob"},
     .default_dropout = 0.1,
     .token_types = "type_vocab_size",
     .position_kind = "position_embedding_type",
     .must_be_false = {{"is_decoder"}, {"add_cross_attention"}},
     .prefix = "bert.",
     .embedding = "embeddings.word_embeddings.weight",
     .positions = "embeddings.position_embeddings.weight",
     .token_type_embedding = "embeddings.token_type_embeddings.weight",
     .embedding_norm = "embeddings.LayerNorm",
     .layers = "encoder.layer.",
     .norm1 = "attention.output.LayerNorm",
     .norm2 = "output.LayerNorm",
     .attention = "attention.",
     .query = "self.query",
     .key = "self.key",
     .value = "self.value",
     .attention_out = "output.dense",
     .gate = nullptr,
     .up = "intermediate.dense",
     .down = "output.dense",
     // The pooler predicts whether a sentence follows another, and cls fills gaps.
     .ignored_endings = {"embeddings.position_ids"},
     .ignored_beginnings = {"pooler.", "cls."},
     .has_old_norm_names = true},
};

}  // namespace

const FamilyEntry& family_entry(ModelFamily family) noexcept {
  return *std::ranges::find(kFamilies, family, &FamilyEntry::family);
}

}  // namespace tril::detail
