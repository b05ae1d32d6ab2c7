#include "learner.h"

#include <emscripten/bind.h>

#include <algorithm>
#include <utility>

#include "guard.h"

namespace tril::js {

namespace {

// The parameter with that name.
const StoredParameter& parameter_named(const std::vector<StoredParameter>& stored,
                                       const std::string& name, const char* call,
                                       const char* argument) {
  const auto at = std::find_if(stored.begin(), stored.end(),
                               [&](const StoredParameter& each) { return each.name == name; });
  if (at == stored.end()) {
    fail(call, argument, {"there is no parameter ", name, "; the first is ", stored[0].name});
  }
  return *at;
}

}  // namespace

void Learner::count_bytes() noexcept {
  const auto moments = 2 * static_cast<std::size_t>(learning().values().size(0)) * sizeof(float);
  memory_.set(bytes() + moments + learning().scratch_bytes());
}

void Learner::restore(const Safetensors& checkpoint) {
  const Metadata& own = about;
  const auto then = checkpoint.metadata.find(kFingerprint), now = own.find(kFingerprint);
  if (then != checkpoint.metadata.end() && now != own.end() && then->second != now->second) {
    fail("restore", "data", "is not what the checkpoint was trained on");
  }
  restore_checkpoint(checkpoint, learning());
}

GivenBatches::GivenBatches(const Integers& given, const Integers& given_sizes, bool have_labels)
    : tokens(given) {
  const std::vector<std::int32_t> sizes = numbers_of(given_sizes);
  for (std::size_t n = 0; n < sizes.size(); n += 3) {
    TrainingBatch& batch = all.emplace_back();
    batch.source = tokens.take(sizes[n], sizes[n + 1]);
    batch.target = tokens.take(sizes[n], sizes[n + 2]);
    if (have_labels) batch.labels = tokens.take(sizes[n], sizes[n + 2]);
  }
}

namespace {

Numbers learner_step(Learner& learner, const Integers& tokens, const Integers& sizes) {
  const GivenBatches batches(tokens, sizes);
  const TrainingStep step = learner.learning().step(batches.all, learner.engine.context);
  learner.count_bytes();
  return to_javascript(step);
}

Numbers learner_evaluate(Learner& learner, const Integers& tokens, const Integers& sizes) {
  const GivenBatches batches(tokens, sizes);
  const ModelLoss loss = learner.learning().evaluate(batches.all, learner.engine.context);
  learner.count_bytes();
  return to_javascript(loss);
}

double learner_done(Learner& learner) { return static_cast<double>(learner.learning().steps()); }

double learner_parameter_count(Learner& learner) {
  Trainer& trainer = learner.learning();
  double count = 0;
  for (const StoredParameter& each : trainer.trained().parameters(trainer.values())) {
    count += static_cast<double>(each.count());
  }
  return count;
}

// Gives names and values in turn, as text.
Names learner_settings(Learner& learner) { return to_javascript(learner.learning().settings()); }

// Gives copies of the "parameters", "gradients", "first" or "second" moments, all of them or those
// with these names. The gradients and moments of an adapter are those of A and B.
NamedTensors learner_tensors(Learner& learner, const std::string& which, const Names& names) {
  Trainer& trainer = learner.learning();
  Trainable& trained = trainer.trained();
  const std::vector<StoredParameter> stored =
      which == "parameters"  ? trained.parameters()
      : which == "gradients" ? trained.parameters(trained.gradient())
      : which == "first"     ? trained.parameters(trainer.first_moment())
                             : trained.parameters(trainer.second_moment());
  Results results(learner.engine, which.c_str());
  const auto add = [&](const StoredParameter& each) {
    each.copy_to(results.make(each.name, each.shape).data());
  };
  const auto wanted = emscripten::vecFromJSArray<std::string>(names);
  for (const std::string& name : wanted) {
    add(parameter_named(stored, name, which.c_str(), "names"));
  }
  if (wanted.empty()) std::for_each(stored.begin(), stored.end(), add);
  return results.hand_over();
}

// Replaces the parameters with these names by `values`; changes none where one does not fit.
void learner_set_parameters(Learner& learner, const Names& names, const NamedTensors& values) {
  constexpr const char* kCall = "setParameters";
  const Trainable& trained = learner.learning().trained();
  if (!trained.base().empty()) {
    fail(kCall, "lora", "leaves the model's parameters as they are: none can be set");
  }
  const std::vector<StoredParameter> stored = trained.parameters();
  std::vector<std::pair<const StoredParameter*, const Tensor*>> moves;
  for (const std::string& name : emscripten::vecFromJSArray<std::string>(names)) {
    const StoredParameter& each = parameter_named(stored, name, kCall, "values");
    const Tensor& value = *named(values, name.c_str());
    if (value.shape() != each.shape) {
      fail(kCall, name.c_str(), {"must have the shape of the parameter, ", each.shape});
    }
    moves.emplace_back(&each, &value);
  }
  for (const auto& [each, value] : moves) each->copy_from(value->data());
}

Bytes learner_save(Learner& learner) {
  return to_javascript(checkpoint_file(learner.learning(), learner.about));
}

void learner_restore(Learner& learner, const Bytes& checkpoint) {
  const std::string file = text_of(checkpoint);
  learner.restore(parse_safetensors(std::as_bytes(std::span(file))));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_learner) {
  using namespace emscripten;
  class_<Learner>("_Learner")
      .function("step", guard<&learner_step>)
      .function("evaluate", guard<&learner_evaluate>)
      .function("done", guard<&learner_done>)
      .function("parameterCount", guard<&learner_parameter_count>)
      .function("settings", guard<&learner_settings>)
      .function("tensors", guard<&learner_tensors>)
      .function("setParameters", guard<&learner_set_parameters>)
      .function("save", guard<&learner_save>)
      .function("restore", guard<&learner_restore>);
}

}  // namespace tril::js
