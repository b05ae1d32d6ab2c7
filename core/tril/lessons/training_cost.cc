#include <tril/foundation/sizes.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/training_cost.h>
#include <tril/model/model_pass.h>

namespace tril {
namespace {

using detail::kFloatBytes;
using detail::times;

// Operations of the forward and of the backward pass.
struct Flops {
  double forward = 0, backward = 0;

  void add(double forwards, double backwards) { forward += forwards, backward += backwards; }
};

void add_linear(Flops& all, Index rows, Index in, Index out, bool bias) {
  const double forward = linear_cost(rows, in, out, false).flops;
  const double each = bias ? times(rows, out) : 0;
  all.add(forward + each, 2 * forward + each);
}

void add_rms_norm(Flops& all, double elements, double rows) {
  all.add(4 * elements + 4 * rows, 9 * elements + rows);
}

void add_norm(Flops& all, const ModelConfig& config, Index rows) {
  const double elements = times(rows, config.width), bias = config.has_norm_biases() ? elements : 0;
  if (config.norm == ModelNorm::layer_norm) {
    all.add(7 * elements + bias + times(5, rows), 12 * elements + bias + times(2, rows));
  } else if (config.norm == ModelNorm::rms_norm) {
    add_rms_norm(all, elements, times(rows));
  }
}

void add_attention(Flops& all, const ModelConfig& config, Index layer, Index batches,
                   Index tokens) {
  const Index D = config.head_width(), kv = config.kv_head_count(), rows = batches * tokens;
  const Index E = config.query_width(), Ek = config.key_width();
  const bool bias = config.has_projection_biases();
  add_linear(all, rows, config.width, E + 2 * Ek, bias);
  if (config.query_key_norm) {
    const Index norms = config.joint_heads_norm ? 2 : config.heads + kv;
    add_rms_norm(all, times(rows, E + Ek), times(rows, norms));
  }
  if (config.has_rotary(layer)) {
    const double rotation = 3 * times(rows, config.heads + kv, config.turned_width());
    all.add(rotation, rotation);
  }
  const AttentionCost cost = attention_cost({.batches = batches,
                                             .heads = config.heads,
                                             .kv_heads = kv,
                                             .queries = tokens,
                                             .keys = tokens,
                                             .width = D,
                                             .value_width = D},
                                            detail::layer_attention(config, layer));
  const double cap = config.score_cap > 0 ? 7 : 0;
  all.add(cost.flops,
          cost.scores * (10 * times(D) + 6 + cap) + 2 * times(batches, config.heads, tokens, D));
  add_linear(all, rows, E, config.width, config.has_output_bias());
}

void add_feed_forward(Flops& all, const ModelConfig& config, Index rows) {
  const Index F = config.hidden_width();
  const double elements = times(rows, F);
  const Activation activation = config.activation();
  const bool gated = config.is_gated();
  const double forward = activation_flops(activation) + (gated ? 1 : 0);
  // gelu's backward counts as gelu_tanh's
  const double own = activation == Activation::relu ? 1 : activation == Activation::silu ? 8 : 18;
  const double backward = own + (gated ? 3 : 0);
  add_linear(all, rows, config.width, config.inner_width(), config.has_feed_forward_biases());
  all.add(elements * forward, elements * backward);
  add_linear(all, rows, F, config.width, config.has_feed_forward_biases());
}

Cost cost_of(double flops, double read, double written) {
  return {.flops = flops, .input_bytes = kFloatBytes * read, .output_bytes = kFloatBytes * written};
}

}  // namespace

TrainingCost training_cost(const LanguageModel& model, const TrainerOptions& options, Index batches,
                           Index tokens) {
  detail::check_size(batches, "training_cost", "batches");
  detail::check_size(tokens, "training_cost", "tokens");
  const ModelConfig& config = model.config();
  const Index rows = checked_count({{"batches", batches}, {"tokens", tokens}}, 1, "training_cost");
  const double elements = times(rows, config.width);
  Flops all;
  for (Index layer = 0; layer < config.layers; ++layer) {
    const int norms = (config.norms_inputs() ? 2 : 0) + (config.norms_outputs() ? 2 : 0);
    for (int n = 0; n < norms; ++n) add_norm(all, config, rows);
    add_attention(all, config, layer, batches, tokens);
    add_feed_forward(all, config, rows);
    if (config.residual) all.add(2 * elements, 2 * elements);
  }
  add_norm(all, config, rows);
  add_linear(all, rows, config.width, config.vocabulary, false);
  const double logits = times(rows, config.vocabulary);
  if (config.logit_cap > 0) all.add(3 * logits, 4 * logits);
  all.add(4 * logits + times(3, rows), 4 * logits + times(rows) + elements);
  if (config.scaled_embedding) all.add(elements, elements);
  if (config.positions == ModelPositions::learned) all.add(elements, elements);

  const double parameters = times(model.parameter_count()), given = times(2, rows);
  const double saved = times(model.saved_count(batches, tokens));
  const bool adamw = options.optimizer == TrainingOptimizer::adamw;
  const double moments = adamw ? 2 : options.momentum > 0 ? 1 : 0;
  const double moved = (adamw ? 17 : 5 + 2 * moments) * parameters + times(model.decayed());
  return {cost_of(all.forward, parameters + given, saved),
          cost_of(all.backward, parameters + saved + given, parameters),
          cost_of(moved, (2 + moments) * parameters, (1 + moments) * parameters)};
}

}  // namespace tril
