// Models so small that they are differentiated number by number: one of each kind.
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
// Llama's as small ones are released: grouped queries, the head tied, biases of nothing.
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
// Heads together wider than the model.
inline ModelConfig wide_heads() {
  ModelConfig config = small(ModelFamily::qwen3);
  config.kv_heads = 1, config.head_dim = 6;
  return config;
}
inline std::vector<ModelConfig> families() {
  return {small(ModelFamily::gpt2),
          small(ModelFamily::llama),
          grouped(),
          bidirectional(),
          scaled(),
          wide_heads()};
}

}  // namespace tril::testing
