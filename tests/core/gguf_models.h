// Writes models as GGUF files, in the form of llama.cpp's converters (convert_hf_to_gguf.py and
// gguf-py/gguf/tensor_mapping.py): from the tensors of a .safetensors file, with its own table of
// names.
#pragma once

#include <tril/model/model_config_json.h>
#include <tril/model/model_file.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/gguf_writer.h"

namespace tril::testing {

inline std::string gguf_architecture(ModelFamily family) {
  if (family == ModelFamily::mistral) return "llama";
  if (family == ModelFamily::gpt_neox) return "gptneox";
  if (family == ModelFamily::gemma3_text) return "gemma3";
  return std::string(family_name(family));
}

inline std::string gguf_name(ModelFamily family, std::string name) {
  const bool has_sandwich = family == ModelFamily::gemma2 || family == ModelFamily::gemma3_text ||
                            family == ModelFamily::olmo2;
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"encoder.layer.", "blk."},
      {"embeddings.word_embeddings", "token_embd"},
      {"embeddings.position_embeddings", "position_embd"},
      {"embeddings.token_type_embeddings", "token_types"},
      {"embeddings.LayerNorm", "token_embd_norm"},
      {"attention.self.query", "attn_q"},
      {"attention.self.key", "attn_k"},
      {"attention.self.value", "attn_v"},
      {"attention.output.LayerNorm", "attn_output_norm"},
      {"attention.output.dense", "attn_output"},
      {"intermediate.dense", "ffn_up"},
      {"output.LayerNorm", "layer_output_norm"},
      {"output.dense", "ffn_down"},
      {"transformer.", ""},
      {"wte", "token_embd"},
      {"wpe", "position_embd"},
      {"gpt_neox.embed_in", "token_embd"},
      {"embed_out", "output"},
      {"model.embed_tokens", "token_embd"},
      {"lm_head", "output"},
      {"gpt_neox.final_layer_norm", "output_norm"},
      {"model.norm", "output_norm"},
      {"ln_f", "output_norm"},
      {"gpt_neox.layers.", "blk."},
      {"model.layers.", "blk."},
      {"input_layernorm", "attn_norm"},
      {"post_attention_layernorm", has_sandwich ? "post_attention_norm" : "ffn_norm"},
      {"pre_feedforward_layernorm", "ffn_norm"},
      {"post_feedforward_layernorm", "post_ffw_norm"},
      {"ln_1", "attn_norm"},
      {"ln_2", "ffn_norm"},
      {"self_attn.q_proj", "attn_q"},
      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},
      {"self_attn.o_proj", "attn_output"},
      {"self_attn.qkv_proj", "attn_qkv"},
      {"self_attn.q_norm", "attn_q_norm"},
      {"self_attn.k_norm", "attn_k_norm"},
      {"attention.query_key_value", "attn_qkv"},
      {"attention.dense", "attn_output"},
      {"attn.c_attn", "attn_qkv"},
      {"attn.c_proj", "attn_output"},
      {"mlp.gate_up_proj", "ffn_up"},
      {"mlp.gate_proj", "ffn_gate"},
      {"mlp.up_proj", "ffn_up"},
      {"mlp.down_proj", "ffn_down"},
      {"mlp.c_fc", "ffn_up"},
      {"mlp.c_proj", "ffn_down"},
      {"mlp.dense_h_to_4h", "ffn_up"},
      {"mlp.dense_4h_to_h", "ffn_down"}};
  for (const auto& [from, to] : parts) {
    if (const std::size_t at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
  }
  return name.starts_with("h.") ? "blk." + name.substr(2) : name;
}

// A tensor's elements [rows, cols] (or [rows]) and shape after conversion.
inline std::vector<float> gguf_elements(const ModelConfig& config, const std::string& name,
                                        std::vector<Index>& shape, std::vector<float> given) {
  const ModelFamily family = config.family;
  const Index rows = shape[0], cols = shape.size() > 1 ? shape[1] : 1;
  const auto ends = [&](const char* end) { return name.find(end) != name.npos; };
  std::vector<float> out = given;
  const bool is_gemma = family == ModelFamily::gemma2 || family == ModelFamily::gemma3_text;
  if (is_gemma && ends("norm.weight")) {
    for (float& each : out) each += 1;
  }
  // data_torch.transpose(1, 0)
  const bool is_conv =
      ends("qkv.weight") || (ends("blk.") && (ends("ffn_") || ends("attn_output")));
  if (family == ModelFamily::gpt2 && is_conv && shape.size() == 2) {
    for (Index n = 0; n < rows; ++n) {
      for (Index m = 0; m < cols; ++m) {
        out[static_cast<std::size_t>(m * rows + n)] = given[static_cast<std::size_t>(n * cols + m)];
      }
    }
    shape = {cols, rows};
  }
  const auto row = [&](Index to, Index from) {
    std::copy_n(given.begin() + from * cols, cols, out.begin() + to * cols);
  };
  // reshape(heads, 3, D, C), then all of [:, 0], all of [:, 1], all of [:, 2]
  const Index D = config.head_width();
  if (family == ModelFamily::gpt_neox && ends("attn_qkv")) {
    for (Index part = 0; part < 3; ++part) {
      for (Index h = 0; h < config.heads; ++h) {
        for (Index d = 0; d < D; ++d)
          row((part * config.heads + h) * D + d, (h * 3 + part) * D + d);
      }
    }
  }
  // reshape(heads, 2, D / 2, C).swapaxes(1, 2)
  const bool turns_neighbours = family == ModelFamily::llama || family == ModelFamily::mistral ||
                                family == ModelFamily::smollm3;
  if (turns_neighbours && (ends("attn_q.") || ends("attn_k."))) {
    for (Index h = 0; h < rows / D; ++h) {
      for (Index half = 0; half < 2; ++half) {
        for (Index i = 0; i < D / 2; ++i) row(h * D + 2 * i + half, h * D + half * D / 2 + i);
      }
    }
  }
  return out;
}

// Writes the keys of a model's settings, and Llama 3's factors as a tensor.
inline void write_gguf_settings(GgufWriter& to, const ModelConfig& config) {
  const std::string architecture = gguf_architecture(config.family), at = architecture + ".";
  const bool is_gemma2 = config.family == ModelFamily::gemma2;
  to.text("general.architecture", architecture);
  to.u32(at + "block_count", config.layers);
  to.u32(at + "context_length", config.context);
  to.u32(at + "embedding_length", config.width);
  to.u32(at + "feed_forward_length", config.hidden_width());
  to.u32(at + "attention.head_count", config.heads);
  if (config.kv_head_count() != config.heads) {
    to.u32(at + "attention.head_count_kv", config.kv_head_count());
  }
  if (config.head_dim > 0) {
    to.u32(at + "attention.key_length", config.head_dim);
    to.u32(at + "attention.value_length", config.head_dim);
  }
  const bool has_rms = config.norm == ModelNorm::rms_norm;
  to.f32(at + (has_rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"),
         config.eps);
  if (config.positions == ModelPositions::rotary) {
    to.u32(at + "rope.dimension_count", config.turned_width());
    to.f32(at + "rope.freq_base", config.rotary_base);
    if (config.rotary_scaling.kind == RotaryScalingKind::linear) {
      to.text(at + "rope.scaling.type", "linear");
      to.f32(at + "rope.scaling.factor", config.rotary_scaling.factor);
    }
  }
  if (!config.causal) to.flag(at + "attention.causal", false);
  if (config.token_types > 0) to.u32("tokenizer.ggml.token_type_count", config.token_types);
  if (config.window > 0) to.u32(at + "attention.sliding_window", config.window);
  if (config.window_period > 0 && config.family == ModelFamily::gemma3_text) {
    to.u32(at + "attention.sliding_window_pattern", config.window_period);
  }
  if (is_gemma2) {
    to.f32(at + "attn_logit_softcapping", config.score_cap);
    to.f32(at + "final_logit_softcapping", config.logit_cap);
  }
  if (config.family == ModelFamily::gpt_neox)
    to.flag(at + "use_parallel_residual", config.parallel);
  if (config.family == ModelFamily::stablelm) to.flag(at + "use_parallel_residual", false);
  if (config.rotary_scaling.kind == RotaryScalingKind::llama3) {
    // generate_extra_tensors in conversion/llama.py
    const RotaryScaling& scaling = config.rotary_scaling;
    const Index pairs = config.head_width() / 2;
    const double original = static_cast<double>(scaling.original);
    std::vector<float> factors;
    for (Index i = 0; i < pairs; ++i) {
      const double turn =
          2 * 3.14159265358979 *
          std::pow(config.rotary_base, static_cast<double>(i) / static_cast<double>(pairs));
      const double smooth = (original / turn - scaling.low) / (scaling.high - scaling.low);
      factors.push_back(static_cast<float>(turn < original / scaling.high ? 1
                                           : turn > original / scaling.low
                                               ? scaling.factor
                                               : 1 / ((1 - smooth) / scaling.factor + smooth)));
    }
    to.floats("rope_freqs.weight", {pairs}, kTensorF32, factors);
  }
  if (config.rotary_scaling.kind == RotaryScalingKind::longrope) {
    // generate_extra_tensors in conversion/phi.py
    const RotaryScaling& scaling = config.rotary_scaling;
    to.u32(at + "rope.scaling.original_context_length", scaling.original);
    to.f32(at + "rope.scaling.attn_factor", scaling.magnitude);
    const auto add = [&](const char* name, const std::vector<double>& factors) {
      const std::vector<float> floats(factors.begin(), factors.end());
      to.floats(name, {std::ssize(floats)}, kTensorF32, floats);
    };
    add("rope_factors_long.weight", scaling.long_factors);
    add("rope_factors_short.weight", scaling.short_factors);
  }
}

// Writes the tensors of a model's .safetensors file, with matrices, including embeddings, of this
// type.
inline void write_gguf_tensors(GgufWriter& to, const ModelConfig& config,
                               std::span<const std::byte> file, std::uint32_t type = kTensorF32) {
  for (const NamedTensor& each : parse_safetensors(file).tensors) {
    std::vector<float> elements(static_cast<std::size_t>(each.tensor.count()));
    read_elements(each.tensor, std::span(elements));
    const std::string name = gguf_name(config.family, each.name);
    std::vector<Index> shape = each.tensor.shape;
    elements = gguf_elements(config, name, shape, std::move(elements));
    to.floats(name, shape, shape.size() > 1 ? type : std::uint32_t{kTensorF32}, elements);
  }
}

}  // namespace tril::testing
