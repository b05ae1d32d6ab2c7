#include "trainer.h"

#include <emscripten/bind.h>
#include <tril/lessons/training_cost.h>
#include <tril/model/lora_file.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "guard.h"
#include "output.h"
#include "parameters.h"
#include "tokenizer.h"
#include "traces.h"

namespace tril::js {

namespace {

const Tokenizer& tokenizer_of(const Training& training, const char* call) {
  if (!training.plan.tokenizer) {
    fail(call, "tokenizer", "there is none: this trainer was given numbers, not text");
  }
  return *training.plan.tokenizer;
}

}  // namespace

Training::Training(Engine& given_engine, TrainingPlan given_plan)
    : Learner(given_engine, given_plan.about),
      plan(std::move(given_plan)),
      model(plan.from ? LanguageModel(*plan.from, plan.config.context, plan.config.dropout)
                      : LanguageModel(plan.config, plan.options.seed)),
      adapter(plan.lora
                  ? std::optional<LoraAdapter>(std::in_place, model, *plan.lora, plan.options.seed)
                  : std::nullopt),
      trainer(adapter ? Trainer(*adapter, plan.options) : Trainer(model, plan.options)) {
  if (adapter) plan.lora = adapter->options();
  plan.from = nullptr;  // no longer needed
  count_bytes();
}

std::size_t Training::bytes() const noexcept {
  const std::size_t data = (plan.data.train.size() + plan.data.validation.size()) * sizeof(TokenId);
  return model.bytes() + (adapter ? adapter->bytes() : 0) + data;
}

namespace {

// Takes a step over windows of the data.
Numbers trainer_step_on_data(Training& training) {
  const std::vector<TokenId>& data = training.plan.data.train;
  check_length(data, training.plan.config, "step", "train on");
  const TrainingStep step = training.trainer.step(data, training.engine.context);
  training.count_bytes();
  return to_javascript(step);
}

// Gives the loss on the validation data.
Numbers trainer_evaluate_on_data(Training& training) {
  const std::vector<TokenId>& data = training.plan.data.validation;
  check_length(data, training.plan.config, "evaluate", "measure on");
  const ModelLoss loss = training.trainer.evaluate(data, training.engine.context);
  training.count_bytes();
  return to_javascript(loss);
}

// Gives flops and bytes of forward pass, backward pass and optimizer.
Numbers trainer_cost(const Training& training, int batches, int tokens) {
  if (training.adapter) fail("cost", "lora", "is not counted: only training of all parameters is");
  const auto& [forward, backward, optimizer] =
      training_cost(training.model, training.plan.options, batches, tokens);
  return to_javascript({forward.flops, forward.bytes(), backward.flops, backward.bytes(),
                        optimizer.flops, optimizer.bytes()});
}

bool trainer_has_tokenizer(const Training& training) { return training.plan.tokenizer.has_value(); }

Integers trainer_encode(const Training& training, const Bytes& text) {
  return encoded(tokenizer_of(training, "encode"), text);
}

Bytes trainer_decode(const Training& training, const Integers& tokens) {
  return decoded(tokenizer_of(training, "decode"), tokens);
}

// Gives logits, "layers.0.weights", ... of [rows, T] tokens, or, with 0 rows, of one sequence.
NamedTensors trainer_trace(Training& training, const Integers& tokens, int rows) {
  constexpr const char* kCall = "trace";
  const GivenRows given(tokens);
  const MatrixView<const std::int32_t> view = given.all(std::max(rows, 1));
  const ModelConfig& config = training.plan.config;
  Results results(training.engine, kCall);
  const Traces traces(results, rows == 0 ? 1 : 0);
  std::vector<TensorView<float, 4>> weights;
  for (Index n = 0; n < config.layers; ++n) {
    const Traces layer = traces.part("layers." + std::to_string(n));
    weights.push_back(
        layer.make("weights", Shape<4>{view.size(0), config.heads, view.size(1), view.size(1)}));
  }
  const auto logits =
      traces.make("logits", Shape<3>{view.size(0), view.size(1), config.vocabulary});
  const MatrixView<const float> found =
      training.model.logits(view, training.engine.context, weights);
  std::copy_n(found.data(), found.count(), logits.data());
  training.count_bytes();
  return results.hand_over();
}

// Gives the bytes of "model.safetensors", "config.json" or "tokenizer.json", and of
// "adapter_model.safetensors" or "adapter_config.json".
Bytes trainer_file(const Training& training, const std::string& name) {
  if (name.starts_with("adapter")) {
    if (!training.adapter)
      fail("exportAdapter", "lora", "there is none: all parameters are trained");
    if (name.ends_with(".safetensors")) return to_javascript(lora_file(*training.adapter));
    return to_javascript(std::string_view(lora_config_json(*training.adapter)));
  }
  if (name == "model.safetensors") return to_javascript(model_file(training.model));
  if (name == "tokenizer.json") return file_of(tokenizer_of(training, "export"));
  const TrainingPlan& plan = training.plan;
  return to_javascript(
      std::string_view(model_config_json(plan.config, ElementType::float32, plan.named)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_trainer) {
  using namespace emscripten;
  class_<Training, base<Learner>>("_Trainer")
      .smart_ptr<TrainingHandle>("_TrainerHandle")
      .function("stepOnData", guard<&trainer_step_on_data>)
      .function("evaluateOnData", guard<&trainer_evaluate_on_data>)
      .function("cost", guard<&trainer_cost>)
      .function("hasTokenizer", guard<&trainer_has_tokenizer>)
      .function("encode", guard<&trainer_encode>)
      .function("decode", guard<&trainer_decode>)
      .function("trace", guard<&trainer_trace>)
      .function("file", guard<&trainer_file>);
}

}  // namespace tril::js
