// Models small enough to differentiate number by number: one of each kind.
#pragma once

#include <tril/model/model_config.h>

#include <vector>

namespace tril::testing {

inline ModelConfig small(ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 2, config.width = 8, config.hidden = 12;
  config.context = 6, config.vocabulary = 7;
  return config;
}
// A Llama like the released small ones: grouped queries, a tied head, no biases.
inline ModelConfig grouped() {
  ModelConfig config = small(ModelFamily::llama);
  config.heads = 4, config.kv_heads = 2, config.tied_head = true;
  return config;
}
inline ModelConfig bidirectional() {
  ModelConfig config = small(ModelFamily::gpt2);
  config.causal = false;
  return config;
}
inline ModelConfig scaled() {
  ModelConfig config = small(ModelFamily::qwen2);
  config.rotary_scaling = {
      .kind = RotaryScalingKind::llama3, .factor = 8, .original = 60, .low = 1, .high = 4};
  return config;
}
// Scaled in all texts longer than two tokens.
inline ModelConfig turned_by_factors() {
  ModelConfig config = grouped();
  config.head_dim = 4;
  config.rotary_scaling = {.kind = RotaryScalingKind::longrope,
                           .original = 2,
                           .short_factors = {9, 9},
                           .long_factors = {1.5, 4},
                           .magnitude = 1.25};
  return config;
}
// All heads together are wider than the model.
inline ModelConfig wide_heads() {
  ModelConfig config = small(ModelFamily::qwen3);
  config.kv_heads = 1, config.head_dim = 6;
  return config;
}
// Settings of models related to the first two families.
inline ModelConfig kin_of_gpt2() {
  ModelConfig config = small(ModelFamily::gpt2);
  config.feed_forward = ModelFeedForward::relu, config.layer_scale = true;
  return config;
}
inline ModelConfig kin_of_llama() {
  ModelConfig config = grouped();
  config.feed_forward = ModelFeedForward::reglu, config.attention_biases = true;
  return config;
}
// A further family, with each of its settings so small that it takes effect.
inline ModelConfig shrunk(ModelFamily family) {
  ModelConfig config = small(family);
  config.hidden = 8;
  if (config.window > 0) config.window = 3;
  if (config.window_period > 0) config.window_period = 2;
  if (config.rotary_period > 0) config.rotary_period = 2;
  if (config.query_scale > 0) config.query_scale = 5;
  if (config.score_cap > 0) config.score_cap = 2, config.logit_cap = 3;
  const bool is_partial = family == ModelFamily::gpt_neox || family == ModelFamily::phi3;
  if (is_partial || family == ModelFamily::stablelm) config.rotary_width = 2;
  return config;
}
inline std::vector<ModelConfig> families() {
  std::vector<ModelConfig> all = {small(ModelFamily::gpt2),
                                  small(ModelFamily::llama),
                                  grouped(),
                                  bidirectional(),
                                  scaled(),
                                  turned_by_factors(),
                                  wide_heads(),
                                  kin_of_gpt2(),
                                  kin_of_llama()};
  for (const auto& each : kModelFamilies) {
    if (each.value > ModelFamily::qwen3) all.push_back(shrunk(each.value));
  }
  return all;
}

}  // namespace tril::testing
