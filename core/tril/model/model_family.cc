#include <tril/model/model_family.h>

#include <span>
#include <vector>

namespace tril {
namespace detail {
ModelFamily family_named(std::string_view type, const char* call) {
  std::vector<std::string_view> names;
  for (const std::span<const Named<ModelFamily>> list :
       {std::span<const Named<ModelFamily>>(kModelFamilies),
        std::span<const Named<ModelFamily>>(kEncoderFamilies)}) {
    for (const auto& [name, family] : list) {
      const char* const whole = family_entry(family).whole;
      if (name == type || (whole && type == whole)) return family;
      names.push_back(name);
    }
  }
  fail_unknown(names, type, call, "model_type", "family");
}

// llama.cpp's names are the same for all families (gguf-py/gguf/constants.py, TENSOR_NAMES). Its
// converters have added 1 to Gemma's norms (conversion/gemma.py, norm_shift), transposed GPT-2's
// matrices (conversion/gpt2.py), stacked GPT-NeoX's projections (conversion/gpt_neox.py) and
// reordered the rows of queries and keys where positions rotate neighbours (conversion/llama.py,
// permute; SmolLM3's is derived from it).
FamilyEntry entry_of(ModelFamily family, ParameterNames names) noexcept {
  FamilyEntry entry = family_entry(family);
  if (names == ParameterNames::of_family) return entry;
  entry.prefix = "";
  entry.embedding = "token_embd.weight";
  entry.positions = "position_embd.weight";
  entry.layers = "blk.";
  entry.token_type_embedding = "token_types.weight";
  entry.embedding_norm = "token_embd_norm";
  const bool norms_sums = ModelConfig::of(family).norms_sums();
  entry.norm1 = norms_sums ? "attn_output_norm" : "attn_norm";
  entry.branch_norm1 = "post_attention_norm";
  entry.norm2 = norms_sums ? "layer_output_norm" : "ffn_norm";
  entry.branch_norm2 = "post_ffw_norm";
  entry.attention = "attn_";
  entry.query = "q", entry.key = "k", entry.value = "v";
  if (entry.projections == StoredProjections::by_head)
    entry.projections = StoredProjections::stacked;
  entry.query_key_value = "qkv";
  entry.attention_out = "output";
  if (entry.gate) entry.gate = "ffn_gate";
  entry.up = "ffn_up";
  entry.down = "ffn_down";
  entry.final_norm = "output_norm";
  entry.head = "output.weight";
  entry.transposed = false;
  entry.added_to_norms = 0;
  entry.has_old_norm_names = false;
  entry.is_interleaved = family == ModelFamily::llama || family == ModelFamily::mistral ||
                         family == ModelFamily::smollm3;
  return entry;
}

}  // namespace detail

ModelConfig ModelConfig::of(ModelFamily family) noexcept {
  ModelConfig config;
  config.norm = ModelNorm::rms_norm;
  config.positions = ModelPositions::rotary;
  config.feed_forward = ModelFeedForward::swiglu;
  config.biases = config.tied_head = false;
  if (const auto set = detail::family_entry(family).set) set(config);
  config.family = family;
  return config;
}

}  // namespace tril
