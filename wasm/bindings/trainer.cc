#include "trainer.h"

#include <emscripten/bind.h>
#include <tril/lessons/training_cost.h>
#include <tril/model/sampling.h>
#include <tril/model/tokenizer_file.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "output.h"
#include "traces.h"

namespace tril::js {

namespace {

using emscripten::val;

std::vector<std::int32_t> numbers_of(const Integers& integers) {
  return emscripten::convertJSArrayToNumberVector<std::int32_t>(integers);
}

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

Numbers to_javascript(std::initializer_list<double> numbers) {
  return Numbers(val::array(numbers.begin(), numbers.end()));
}

Integers to_javascript(const std::vector<std::int32_t>& numbers) {
  return Integers(
      val(emscripten::typed_memory_view(numbers.size(), numbers.data())).call<val>("slice"));
}

// Where the parameter of that name is.
std::size_t place_of(const std::vector<StoredParameter>& stored, const std::string& name,
                     const char* call, const char* argument) {
  const auto at = std::find_if(stored.begin(), stored.end(),
                               [&](const StoredParameter& each) { return each.name == name; });
  if (at == stored.end()) {
    fail(call, argument, {"there is no parameter ", name, "; the first is ", stored[0].name});
  }
  return static_cast<std::size_t>(at - stored.begin());
}

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
      model(plan.config, plan.options.seed),
      trainer(model, plan.options) {
  count_bytes();
}

Training::~Training() { engine.usage.bytes -= bytes_; }

void Training::count_bytes() noexcept {
  const auto moments = 2 * static_cast<std::size_t>(model.values().size(0)) * sizeof(float);
  const std::size_t data = (plan.data.train.size() + plan.data.validation.size()) * sizeof(TokenId);
  const auto now = static_cast<double>(model.bytes() + moments + trainer.scratch_bytes() + data);
  engine.usage.bytes += now - bytes_;
  bytes_ = now;
}

Numbers trainer_step(Training& training, const Integers& tokens, const Integers& targets,
                     int rows) {
  Trainer& trainer = training.trainer;
  Parallel& parallel = training.engine.parallel;
  const Batch batch(tokens, targets, rows);
  if (rows == 0) check_length(training.plan.data.train, training.plan.config, "step", "train on");
  const TrainingStep step =
      rows > 0 ? trainer.step(batch.view(batch.tokens), batch.view(batch.targets), parallel)
               : trainer.step(training.plan.data.train, parallel);
  training.count_bytes();
  return to_javascript({static_cast<double>(step.step), step.loss, step.gradient_norm,
                        step.learning_rate, step.seconds * 1000, static_cast<double>(step.tokens),
                        step.forward_seconds * 1000, step.backward_seconds * 1000,
                        step.optimizer_seconds * 1000});
}

Numbers trainer_cost(const Training& training, int batches, int tokens) {
  const auto& [forward, backward, optimizer] =
      training_cost(training.model, training.plan.options, batches, tokens);
  return to_javascript({forward.flops, forward.bytes(), backward.flops, backward.bytes(),
                        optimizer.flops, optimizer.bytes()});
}

Numbers trainer_evaluate(Training& training, const Integers& tokens, const Integers& targets,
                         int rows) {
  Trainer& trainer = training.trainer;
  Parallel& parallel = training.engine.parallel;
  const Batch batch(tokens, targets, rows);
  if (rows == 0) {
    check_length(training.plan.data.validation, training.plan.config, "evaluate", "measure on");
  }
  const ModelLoss loss =
      rows > 0 ? trainer.evaluate(batch.view(batch.tokens), batch.view(batch.targets), parallel)
               : trainer.evaluate(training.plan.data.validation, parallel);
  training.count_bytes();
  return to_javascript(
      {loss.mean(), static_cast<double>(loss.counted), static_cast<double>(loss.correct)});
}

double trainer_done(const Training& training) {
  return static_cast<double>(training.trainer.steps());
}

double trainer_parameter_count(const Training& training) {
  return static_cast<double>(training.model.parameter_count());
}

bool trainer_has_tokenizer(const Training& training) { return training.plan.tokenizer.has_value(); }

Names trainer_settings(const Training& training) {
  std::vector<std::string> pairs;
  for (const auto& [name, text] :
       checkpoint_settings(training.plan.config, training.plan.options)) {
    pairs.push_back(name);
    pairs.push_back(text);
  }
  return Names(val::array(pairs));
}

Integers trainer_generate(Training& training, const Integers& prompt, int count, double temperature,
                          int top_k, double seed) {
  std::vector<std::int32_t> first = numbers_of(prompt);
  const TrainingTokens& data = training.plan.data;
  for (const auto* tokens : {&data.validation, &data.train}) {
    if (first.empty() && !tokens->empty()) first.push_back(tokens->front());
  }
  const TrainerOptions& options = training.plan.options;
  Random random(seed < 0 ? options.seed + static_cast<std::uint64_t>(training.trainer.steps())
                         : static_cast<std::uint64_t>(seed));
  const std::vector<std::int32_t> tokens =
      generate(training.model, first, count, {.temperature = temperature, .top_k = top_k}, random,
               training.engine.scratch, training.engine.parallel);
  training.count_bytes();
  return to_javascript(tokens);
}

Integers trainer_encode(const Training& training, const Bytes& text) {
  const auto bytes = emscripten::convertJSArrayToNumberVector<char>(text);
  return to_javascript(tokenizer_of(training, "encode").encode({bytes.data(), bytes.size()}));
}

Bytes trainer_decode(const Training& training, const Integers& tokens) {
  const std::string text = tokenizer_of(training, "decode").decode(numbers_of(tokens));
  return to_javascript(std::as_bytes(std::span(text)));
}

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
      training.model.logits(view, training.engine.scratch, training.engine.parallel, weights);
  std::copy_n(found.data(), found.count(), logits.data());
  training.count_bytes();
  return results.hand_over();
}

NamedTensors trainer_tensors(Training& training, const std::string& which, const Names& names) {
  Results results(training.engine, which.c_str());
  const Trainer& trainer = training.trainer;
  const VectorView<const float> memory = which == "parameters"  ? training.model.values()
                                         : which == "gradients" ? training.model.gradient()
                                         : which == "first"     ? trainer.first_moment()
                                                                : trainer.second_moment();
  const auto stored = stored_parameters(training.plan.config, memory);
  const auto add = [&](const StoredParameter& each) {
    each.copy_to(results.make(each.name, each.shape).data());
  };
  const auto wanted = emscripten::vecFromJSArray<std::string>(names);
  for (const std::string& name : wanted) {
    add(stored[place_of(stored, name, which.c_str(), "names")]);
  }
  if (wanted.empty()) std::for_each(stored.begin(), stored.end(), add);
  return results.hand_over();
}

void trainer_set_parameters(Training& training, const Names& names, const NamedTensors& values) {
  constexpr const char* kCall = "setParameters";
  const auto stored = stored_parameters(training.plan.config, training.model.weights());
  std::vector<std::pair<const StoredParameter*, const Tensor*>> moves;
  for (const std::string& name : emscripten::vecFromJSArray<std::string>(names)) {
    const StoredParameter& each = stored[place_of(stored, name, kCall, "values")];
    const Tensor& value = *named(values, name.c_str());
    if (value.shape() != each.shape) {
      fail(kCall, name.c_str(),
           {"must have the shape of the parameter, ",
            tril::shape_text(each.shape.data(), static_cast<int>(each.shape.size()))});
    }
    moves.emplace_back(&each, &value);
  }
  for (const auto& [each, value] : moves) each->copy_from(value->data());
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

Bytes trainer_file(const Training& training, const std::string& name) {
  if (name == "model.safetensors") return to_javascript(model_file(training.model));
  const std::string text = name == "config.json" ? model_config_json(training.plan.config)
                                                 : tokenizer_json(tokenizer_of(training, "export"));
  return to_javascript(std::as_bytes(std::span(text)));
}

}  // namespace tril::js
