// The settings of a model by name, for reading and writing checkpoints and config.json.
#pragma once

#include <tril/model/model_config.h>

namespace tril::detail {

// Calls visit("width", config.width), visit("norm", config.norm, kModelNorms) and so on for all
// settings but the family, and visit.newer() for settings that older checkpoints lack.
template <typename Config, typename Visit>
void for_each_model_setting(Config& config, const Visit& visit) {
  visit("norm", config.norm, kModelNorms);
  visit("positions", config.positions, kModelPositions);
  visit("feed_forward", config.feed_forward, kModelFeedForwards);
  visit("biases", config.biases);
  visit("tied_head", config.tied_head);
  visit("causal", config.causal);
  visit.newer("scaled_scores", config.scaled_scores);
  visit.newer("residual", config.residual);
  visit("layers", config.layers);
  visit("heads", config.heads);
  visit("kv_heads", config.kv_heads);
  visit("width", config.width);
  visit("hidden", config.hidden);
  visit("context", config.context);
  visit("vocabulary", config.vocabulary);
  visit("eps", config.eps);
  visit("rotary_base", config.rotary_base);
  visit.newer("norm_place", config.norm_place, kModelNormPlaces);
  visit.newer("projection_biases", config.projection_biases);
  visit.newer("attention_biases", config.attention_biases);
  visit.newer("feed_forward_biases", config.feed_forward_biases);
  visit.newer("norm_biases", config.norm_biases);
  visit.newer("query_key_norm", config.query_key_norm);
  visit.newer("joint_heads_norm", config.joint_heads_norm);
  visit.newer("parallel", config.parallel);
  visit.newer("head_dim", config.head_dim);
  visit.newer("window", config.window);
  visit.newer("window_period", config.window_period);
  visit.newer("rotary_width", config.rotary_width);
  visit.newer("rotary_period", config.rotary_period);
  visit.newer("rotary_local_base", config.rotary_local_base);
  visit.newer("scaled_embedding", config.scaled_embedding);
  visit.newer("query_scale", config.query_scale);
  visit.newer("layer_scale", config.layer_scale);
  visit.newer("score_cap", config.score_cap);
  visit.newer("logit_cap", config.logit_cap);
  visit.newer("rotary_scaling", config.rotary_scaling.kind, kRotaryScalingKinds);
  visit.newer("rotary_scaling_factor", config.rotary_scaling.factor);
  visit.newer("rotary_scaling_original", config.rotary_scaling.original);
  visit.newer("rotary_scaling_low", config.rotary_scaling.low);
  visit.newer("rotary_scaling_high", config.rotary_scaling.high);
  visit.newer("rotary_scaling_short", config.rotary_scaling.short_factors);
  visit.newer("rotary_scaling_long", config.rotary_scaling.long_factors);
  visit.newer("rotary_scaling_magnitude", config.rotary_scaling.magnitude);
  visit("dropout", config.dropout);
}

}  // namespace tril::detail
