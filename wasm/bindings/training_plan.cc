// Makes the plan of a trainer from settings, data and an optional checkpoint.
#include <emscripten/bind.h>
#include <tril/files/utf8.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "guard.h"
#include "model.h"
#include "parameters.h"
#include "trainer.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "trainer";
constexpr std::string_view kModel = "model.";
constexpr std::string_view kLora = "lora.";
constexpr const char* kTokenizer = "tokenizer";
constexpr const char* kModelsOwn = "model";  // instead of a kind of tokenizer

// Sets the defaults of a trainer without a checkpoint. The given settings are applied after.
void set_defaults(const Metadata& given, TrainingPlan& plan) {
  if (const auto family = given.find("model.family"); family != given.end()) {
    plan.config = ModelConfig::of(value_named(kModelFamilies, family->second, kCall, "family"));
  }
  ModelConfig config = plan.config;
  TrainerOptions options = plan.options;
  set_settings(given, config, options);
  plan.options.schedule = default_schedule(options.schedule.learning_rate, options.schedule.steps);
}

// Sets what a model to be trained further brings along. Throws Error for settings that are the
// model's own.
void set_model(const Metadata& given, const PretrainedModel& from, TrainingPlan& plan) {
  for (const auto& [name, value] : given) {
    if (!name.starts_with(kModel) || name == "model.context" || name == "model.dropout") continue;
    fail(kCall, name.c_str() + kModel.size(),
         "is the model's own: of one that is trained further, only context "
         "and dropout can be set");
  }
  plan.config = from.parameters.config();
  plan.options.schedule.learning_rate = kFurtherLearningRate;
  plan.from = &from.parameters;
  plan.named = from.tokens;
  plan.named.end = from.end_tokens;
  plan.tokenizer = from.tokenizer;
}

// Moves the settings of an adapter out of `given`.
Metadata take_lora(Metadata& given) {
  Metadata taken;
  for (auto at = given.begin(); at != given.end();) {
    const auto next = std::next(at);
    if (at->first.starts_with(kLora)) taken.insert(given.extract(at));
    at = next;
  }
  return taken;
}

void set_text(const Bytes& given, const std::string& kind, TokenId vocabulary,
              TrainingObjective objective, TrainingPlan& plan) {
  const std::string text = text_of(given);
  if (text.empty()) fail(kCall, "data", "there is nothing to learn from: it is empty");
  if (kind != "bytes" && !detail::is_utf8(text)) {
    fail(kCall, "data", "is not UTF-8; the tokenizer \"bytes\" takes any bytes");
  }
  const TrainingText parts = split_text(text);
  if (plan.from && !plan.tokenizer) fail(kCall, "data", "is text, and the model has no tokenizer");
  if (!plan.from) {
    plan.tokenizer = training_tokenizer(kind, vocabulary, objective, parts.train);
    plan.config.vocabulary = plan.tokenizer->size();
  }
  plan.data = {plan.tokenizer->encode(parts.train), plan.tokenizer->encode(parts.validation)};
  plan.about = {{kTokenizer, kind}, {kFingerprint, fingerprint(std::as_bytes(std::span(text)))}};
}

void set_tokens(const Integers& given, TrainingPlan& plan) {
  const auto tokens = numbers_of(given);
  if (tokens.empty()) fail(kCall, "data", "there is nothing to learn from: it is empty");
  Index& vocabulary = plan.config.vocabulary;
  if (vocabulary == 0) vocabulary = Index{*std::max_element(tokens.begin(), tokens.end())} + 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabulary) continue;
    if (tokens[i] < 0) fail(kCall, "data", {tokens[i], " at ", i, " is below 0"});
    fail(kCall, "data",
         {tokens[i], " at ", i, " is outside the vocabulary (0..", vocabulary - 1, ")"});
  }
  plan.data = split_tokens(tokens);
  plan.about = {{kFingerprint, fingerprint(std::as_bytes(std::span(tokens)))}};
}

}  // namespace

void check_length(const std::vector<TokenId>& tokens, const ModelConfig& config, const char* call,
                  const char* what) {
  const auto needed = static_cast<std::size_t>(config.context) + 1;
  if (tokens.size() >= needed) return;
  fail(call, "data",
       {"is too short: ", tokens.size(), " tokens to ", what, ", and a context of ", config.context,
        " asks for ", needed});
}

namespace {

// Makes a trainer from settings, as names and values in turn for the core's set_settings; from its
// data, `source` being "text", "tokens" or "batches"; from a checkpoint to resume, which may be
// empty; and from a model to train further, or null. Throws Error for anything that does not fit,
// before any step.
//
//   settings: those of the checkpoint, or those of the model, or of the family and the recipe;
//             then those given
//   data, and the vocabulary that follows from it;  the objective, and what follows from that
TrainingHandle make_trainer(Engine& engine, const Names& settings, const std::string& source,
                            const Bytes& text, const Integers& tokens, const std::string& tokenizer,
                            const Bytes& checkpoint, const ModelHandle& from) {
  Metadata given = pairs_of(settings);
  const Metadata lora = take_lora(given);
  TrainingPlan plan;
  if (from) set_model(given, from->model, plan);
  if (!lora.empty()) plan.options.schedule.learning_rate = kLoraLearningRate;
  const std::string file = text_of(checkpoint);
  Safetensors stored;
  std::string kind = from ? kModelsOwn : tokenizer.empty() ? "chars" : tokenizer;
  if (file.empty()) {
    set_defaults(given, plan);
  } else {
    stored = parse_safetensors(std::as_bytes(std::span(file)));
    const Checkpoint read = read_checkpoint(stored);
    const auto was = stored.metadata.find(kTokenizer);
    const bool of_model = was != stored.metadata.end() && was->second == kModelsOwn;
    if (of_model && !from) fail(kCall, "from", "is missing: the model that the checkpoint goes on");
    ModelConfig own = read.config;
    own.context = plan.config.context, own.dropout = plan.config.dropout;
    if (from && !(own == plan.config)) fail(kCall, "checkpoint", "is of another model");
    plan.config = read.config, plan.options = read.options, plan.lora = read.lora;
    if (!from && tokenizer.empty() && was != stored.metadata.end()) kind = was->second;
  }
  set_settings(given, plan.config, plan.options);
  if (!lora.empty()) set_settings(lora, plan.lora ? *plan.lora : plan.lora.emplace());
  if (plan.lora && !from) fail(kCall, "from", "is missing: the model that the adapter is for");
  TrainingObjective objective = plan.options.batches.objective;
  if (source == "text") {
    set_text(text, kind, static_cast<TokenId>(plan.config.vocabulary), objective, plan);
    given.erase("model.vocabulary");  // an upper limit here
  } else if (source == "tokens") {
    set_tokens(tokens, plan);
  }
  if ((from || source == "batches") && !plan.config.causal) objective = TrainingObjective::masked;
  if (file.empty()) {
    set_objective(objective, plan.config, plan.options);
    set_settings(given, plan.config, plan.options);
  }
  check_model_config(plan.config, kCall);
  if (source != "batches") check_length(plan.data.train, plan.config, kCall, "train on");
  TrainingHandle training = std::make_shared<Training>(engine, std::move(plan));
  if (!file.empty()) training->restore(stored);
  return training;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_training_plan) {
  using namespace emscripten;
  function("_trainer", guard<&make_trainer>);
}

}  // namespace tril::js
