// The families of published models, each an entry of one table: the names of its settings in
// config.json, their defaults, and the names of its parameters. One model (model_config.h) computes
// all of them.
#pragma once

#include <tril/model/model_config.h>

namespace tril::detail {

// The form that queries, keys and values have in files; memory has them in one matrix [E + 2 Ek,
// C].
enum class StoredProjections : std::uint8_t {
  apart,    // three matrices
  stacked,  // one matrix, as in memory
  by_head,  // one matrix [H, 3, D, C]: queries, keys and values of the first head, of the second,
            // ...
};

// A setting that must be false.
struct Refused {
  const char* name = nullptr;
  const char* why = "must be false";
};

// A family. Defaults are Llama's. A null name means that the family has no such setting or
// parameter.
struct FamilyEntry {
  ModelFamily family;
  const char* architecture;             // in config.json of published models
  void (*set)(ModelConfig&) = nullptr;  // changes Llama's settings

  // Names in config.json, and defaults of missing entries.
  const char* layer_count = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  Index default_heads = 0;  // 0: required
  const char* kv_heads = "num_key_value_heads";
  Index default_kv_heads = 0;  // 0: as many as heads
  const char* head_dim = "head_dim";
  Index default_head_dim = 0;  // 0: width / heads
  const char* width = "hidden_size";
  const char* hidden = "intermediate_size";
  bool needs_hidden = true;  // else four times the width
  const char* context = "max_position_embeddings";
  Index default_context = 2048;
  Index default_vocabulary = 0;  // 0: required
  const char* activation = "hidden_act";
  const char* default_activation = "silu";
  const char* eps = "rms_norm_eps";
  double default_eps = 1e-6;
  const char* rotary_base = "rope_theta";
  const char* rotary_local_base = nullptr;
  Index default_original = 0;  // context before positions were scaled; 0: the context
  const char* rotary_share = "partial_rotary_factor";  // rotated share of a head
  double default_rotary_share = 1;
  const char* rotary_period = nullptr;  // or a list of the layers that rotate, "no_rope_layers"
  const char* window = nullptr;
  const char* window_period = nullptr;  // or a list of the kinds of layers, "layer_types"
  const char* query_scale = nullptr;
  const char* score_cap = nullptr;
  const char* logit_cap = nullptr;
  const char* dropouts[3] = {"attention_dropout"};
  double default_dropout = 0;
  const char* biases = nullptr;
  const char* attention_biases = nullptr;  // of attention and of the feed-forward separately
  const char* mlp_biases = nullptr;
  const char* projection_biases = nullptr;
  const char* parallel = nullptr;
  const char* scaled_scores = nullptr;
  const char* layer_scale = nullptr;
  const char* token_types = nullptr;
  const char* position_kind = nullptr;  // must be "absolute"
  Refused must_be_false[2] = {};

  // The model_type of a multimodal model that has this one as its text part, with the settings in
  // `text_config`.
  const char* whole = nullptr;

  // Names of parameters. A layer's begin with `layers` and its number: "model.layers.0.".
  const char* prefix = "";  // before all names in some files
  const char* embedding = "model.embed_tokens.weight";
  const char* positions = "model.embed_positions.weight";
  const char* token_type_embedding = nullptr;
  const char* embedding_norm = nullptr;
  const char* layers = "model.layers.";
  const char* norm1 = "input_layernorm";
  const char* branch_norm1 = "post_self_attn_layernorm";
  const char* norm2 = "post_attention_layernorm";
  const char* branch_norm2 = "post_mlp_layernorm";
  const char* attention = "self_attn.";
  StoredProjections projections = StoredProjections::apart;
  const char *query = "q_proj", *key = "k_proj", *value = "v_proj";
  const char *query_norm = "q_norm", *key_norm = "k_norm";
  const char* query_key_value = nullptr;  // if they are one matrix
  const char* attention_out = "o_proj";
  const char* gate = "mlp.gate_proj";  // null: `up` holds the gate in its upper half
  const char* up = "mlp.up_proj";
  const char* down = "mlp.down_proj";
  const char* final_norm = "model.norm";
  const char* head = "lm_head.weight";
  bool transposed = false;  // matrices of layers are [in, out]
  // Whether rows of queries and keys are pairs (2 i, 2 i + 1) of a head, which memory has as (i,
  // D/2 + i).
  bool is_interleaved = false;
  float added_to_norms = 0;  // 1: files hold w of norms that multiply by 1 + w
  const char* ignored_endings[3] = {".rotary_emb.inv_freq"};  // endings of other tensors
  const char* ignored_beginnings[2] = {};                     // beginnings of other tensors
  bool has_old_norm_names = false;  // older files call a norm's weight gamma, and its bias beta
};

// The family of a model_type. Throws Error in the name of `call`, listing the families, where there
// is none.
ModelFamily family_named(std::string_view type, const char* call);
// The entry of a family.
const FamilyEntry& family_entry(ModelFamily family) noexcept;
// The same with the names and the order of parameters of GGUF files, or with its own.
FamilyEntry entry_of(ModelFamily family, ParameterNames names) noexcept;

}  // namespace tril::detail
