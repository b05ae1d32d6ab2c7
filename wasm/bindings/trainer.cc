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

// A batch in JavaScript's arrays.
struct Batch {
  std::vector<std::int32_t> tokens, targets;
  Index rows;

  Batch(const Integers& given_tokens, const Integers& given_targets, int count)
      : tokens(numbers_of(given_tokens)), targets(numbers_of(given_targets)), rows(count) {}

  MatrixView<const std::int32_t> view(const std::vector<std::int32_t>& of) const {
    return {of.data(), {rows, static_cast<Index>(of.size()) / rows}};
  }
};

const Tokenizer& tokenizer_of(const Training& training, const char* call) {
  if (!training.plan.tokenizer) {
    fail(call, "tokenizer", "there is none: this trainer was given numbers, not text");
  }
  return *training.plan.tokenizer;
}

}  // namespace

Training::Training(Engine& given_engine, TrainingPlan given_plan)
    : engine(given_engine),
      plan(std::move(given_plan)),
      model(plan.from ? LanguageModel(*plan.from, plan.config.context, plan.config.dropout)
                      : LanguageModel(plan.config, plan.options.seed)),
      adapter(plan.lora
                  ? std::optional<LoraAdapter>(std::in_place, model, *plan.lora, plan.options.seed)
                  : std::nullopt),
      trainer(adapter ? Trainer(*adapter, plan.options) : Trainer(model, plan.options)) {
  if (adapter) plan.lora = adapter->options();
  plan.from = nullptr;  // which may go now
  count_bytes();
}

Training::~Training() { engine.usage.bytes -= bytes_; }

void Training::count_bytes() noexcept {
  const auto moments = 2 * static_cast<std::size_t>(trainer.values().size(0)) * sizeof(float) +
                       (adapter ? adapter->bytes() : 0);
  const std::size_t data = (plan.data.train.size() + plan.data.validation.size()) * sizeof(TokenId);
  const auto now = static_cast<double>(model.bytes() + moments + trainer.scratch_bytes() + data);
  engine.usage.bytes += now - bytes_;
  bytes_ = now;
}

namespace {

// Takes a step over a batch of [rows, T] tokens and targets, or, with 0 rows, over one of the data.
Numbers trainer_step(Training& training, const Integers& tokens, const Integers& targets,
                     int rows) {
  Trainer& trainer = training.trainer;
  const Context& context = training.engine.context;
  const Batch batch(tokens, targets, rows);
  if (rows == 0) check_length(training.plan.data.train, training.plan.config, "step", "train on");
  const TrainingStep step =
      rows > 0 ? trainer.step(batch.view(batch.tokens), batch.view(batch.targets), context)
               : trainer.step(training.plan.data.train, context);
  training.count_bytes();
  return to_javascript(step);
}

// Gives flops and bytes of forward pass, backward pass and optimizer.
Numbers trainer_cost(const Training& training, int batches, int tokens) {
  if (training.adapter) fail("cost", "lora", "is not counted: only training of all parameters is");
  const auto& [forward, backward, optimizer] =
      training_cost(training.model, training.plan.options, batches, tokens);
  return to_javascript({forward.flops, forward.bytes(), backward.flops, backward.bytes(),
                        optimizer.flops, optimizer.bytes()});
}

// Gives the mean loss, the number of targets that count, and of those that are held most likely.
Numbers trainer_evaluate(Training& training, const Integers& tokens, const Integers& targets,
                         int rows) {
  Trainer& trainer = training.trainer;
  const Context& context = training.engine.context;
  const Batch batch(tokens, targets, rows);
  if (rows == 0) {
    check_length(training.plan.data.validation, training.plan.config, "evaluate", "measure on");
  }
  const ModelLoss loss =
      rows > 0 ? trainer.evaluate(batch.view(batch.tokens), batch.view(batch.targets), context)
               : trainer.evaluate(training.plan.data.validation, context);
  training.count_bytes();
  return to_javascript(
      {loss.mean(), static_cast<double>(loss.counted), static_cast<double>(loss.correct)});
}

double trainer_done(const Training& training) {
  return static_cast<double>(training.trainer.steps());
}

double trainer_parameter_count(const Training& training) {
  return static_cast<double>(training.adapter ? training.adapter->parameter_count()
                                              : training.model.parameter_count());
}

bool trainer_has_tokenizer(const Training& training) { return training.plan.tokenizer.has_value(); }

// Gives names and texts in turn.
Names trainer_settings(const Training& training) {
  return to_javascript(
      checkpoint_settings(training.plan.config, training.plan.options, training.plan.lora));
}

Integers trainer_encode(const Training& training, const Bytes& text) {
  return encoded(tokenizer_of(training, "encode"), text);
}

Bytes trainer_decode(const Training& training, const Integers& tokens) {
  return decoded(tokenizer_of(training, "decode"), tokens);
}

// Gives logits, "layers.0.weights", ... of [rows, T] tokens, or, with 0 rows, of one sequence.
NamedTensors trainer_trace(Training& training, const Integers& tokens, int rows) {
  constexpr const char* kCall = "trace";
  const Batch batch(tokens, tokens, std::max(rows, 1));
  const MatrixView<const std::int32_t> view = batch.view(batch.tokens);
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

// Gives copies of the "parameters", "gradients", "first" or "second" moments, all of them or those
// of these names. Of an adapter gradients and moments are those of A and B.
NamedTensors trainer_tensors(Training& training, const std::string& which, const Names& names) {
  const Trainer& trainer = training.trainer;
  const ModelConfig& config = training.plan.config;
  const auto list = [&] {
    if (which == "parameters") return stored_parameters(config, training.model.weights());
    if (training.adapter) {
      return training.adapter->parameters(which == "gradients" ? training.adapter->gradient()
                                          : which == "first"   ? trainer.first_moment()
                                                               : trainer.second_moment());
    }
    return stored_parameters(config, which == "gradients" ? training.model.gradient()
                                     : which == "first"   ? trainer.first_moment()
                                                          : trainer.second_moment());
  };
  return copies_of(training.engine, list(), names, which.c_str());
}

// Replaces the parameters of these names; none where one does not fit.
void trainer_set_parameters(Training& training, const Names& names, const NamedTensors& values) {
  if (training.adapter) {
    fail("setParameters", "lora", "leaves the model's parameters as they are: none can be set");
  }
  set_parameters(stored_parameters(training.plan.config, training.model.weights()), names, values);
}

Bytes trainer_save(const Training& training) {
  return to_javascript(checkpoint_file(training.trainer, training.plan.about));
}

void trainer_restore(Training& training, const Bytes& checkpoint) {
  const auto file = emscripten::convertJSArrayToNumberVector<unsigned char>(checkpoint);
  const Safetensors stored = parse_safetensors(std::as_bytes(std::span(file)));
  check_same_data(stored.metadata, training.plan.about);
  restore_checkpoint(stored, training.trainer);
}

// Gives the bytes of "model.safetensors", "config.json" or "tokenizer.json", and of
// "adapter_model.safetensors" or "adapter_config.json".
Bytes trainer_file(const Training& training, const std::string& name) {
  if (name.starts_with("adapter")) {
    if (!training.adapter)
      fail("exportAdapter", "lora", "there is none: all parameters are trained");
    if (name.ends_with(".safetensors")) return to_javascript(lora_file(*training.adapter));
    const std::string config = lora_config_json(*training.adapter);
    return to_javascript(std::as_bytes(std::span(config)));
  }
  if (name == "model.safetensors") return to_javascript(model_file(training.model));
  if (name == "tokenizer.json") return file_of(tokenizer_of(training, "export"));
  const TrainingPlan& plan = training.plan;
  const std::string text = model_config_json(plan.config, ElementType::float32, plan.named);
  return to_javascript(std::as_bytes(std::span(text)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_trainer) {
  using namespace emscripten;
  class_<Training>("_Trainer")
      .smart_ptr<TrainingHandle>("_TrainerHandle")
      .function("step", guard<&trainer_step>)
      .function("evaluate", guard<&trainer_evaluate>)
      .function("cost", guard<&trainer_cost>)
      .function("done", guard<&trainer_done>)
      .function("parameterCount", guard<&trainer_parameter_count>)
      .function("hasTokenizer", guard<&trainer_has_tokenizer>)
      .function("settings", guard<&trainer_settings>)
      .function("encode", guard<&trainer_encode>)
      .function("decode", guard<&trainer_decode>)
      .function("trace", guard<&trainer_trace>)
      .function("tensors", guard<&trainer_tensors>)
      .function("setParameters", guard<&trainer_set_parameters>)
      .function("save", guard<&trainer_save>)
      .function("restore", guard<&trainer_restore>)
      .function("file", guard<&trainer_file>);
}

}  // namespace tril::js
