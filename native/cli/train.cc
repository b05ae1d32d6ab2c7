// tril train --data FILE... -o RUN: trains a language model on texts.
#include <tril/model/pretrained.h>
#include <tril/text/train_tokenizer.h>

#include <memory>
#include <optional>

#include "train_run.h"

namespace tril::cli {
namespace {

constexpr const char* kModelsOwn = "model";  // in place of the kind of a tokenizer

// The options. The default of each is the recipe's or, with --resume, the checkpoint's.
struct Arguments {
  std::vector<std::string> data, validation;
  std::string output, from;
  bool resume = false;
  std::optional<std::string> tokenizer, family, objective, optimizer;
  std::optional<Index> layers, heads, kv_heads, width, hidden, context, batch, accumulation, every,
      sample;
  std::optional<std::int64_t> steps, warmup;
  std::optional<double> rate, lowest, weight_decay, beta1, beta2, epsilon, momentum, clip, dropout;
  std::optional<std::uint64_t> seed;
  std::optional<Index> lora;
  std::optional<double> lora_alpha;
  std::vector<std::string> lora_targets;
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> keep;
  TokenId vocabulary = 0;
};

template <typename T>
void set(T& setting, const std::optional<T>& given) {
  if (given) setting = *given;
}

void apply(const Arguments& given, TrainPlan& plan) {
  set(plan.config.layers, given.layers);
  set(plan.config.heads, given.heads);
  set(plan.config.kv_heads, given.kv_heads);
  set(plan.config.width, given.width);
  set(plan.config.hidden, given.hidden);
  set(plan.config.context, given.context);
  set(plan.config.dropout, given.dropout);
  TrainerOptions& options = plan.options;
  set(options.batch, given.batch);
  set(options.accumulation, given.accumulation);
  set(options.schedule.steps, given.steps);
  set(options.schedule.warmup, given.warmup);
  set(options.schedule.learning_rate, given.rate);
  set(options.schedule.lowest, given.lowest);
  set(options.weight_decay, given.weight_decay);
  if (given.optimizer) options.optimizer = value_of(kTrainingOptimizers, *given.optimizer);
  set(options.beta1, given.beta1);
  set(options.beta2, given.beta2);
  set(options.eps, given.epsilon);
  set(options.momentum, given.momentum);
  set(options.clip, given.clip);
  set(options.seed, given.seed);
  set(plan.settings.tokenizer, given.tokenizer);
  set(plan.settings.every, given.every);
  set(plan.settings.sample, given.sample);
  plan.settings.type = given.type;
  if (!given.keep.empty()) plan.settings.keep = given.keep;
  if (!given.data.empty()) plan.settings.data = given.data;
  if (!given.validation.empty()) plan.settings.validation = given.validation;
}

TrainPlan new_plan(const Arguments& given) {
  RunSettings settings;
  settings.folder = given.output;
  settings.check_new();
  const std::string kind = given.tokenizer.value_or("chars");
  TrainTexts texts = read_texts(given.data, given.validation, kind == "bytes");
  const auto objective = value_of(kTrainingObjectives, given.objective.value_or("next"));
  Tokenizer tokenizer = training_tokenizer(kind, given.vocabulary, objective, texts.text.train);
  TrainPlan plan{settings,
                 ModelConfig::of(value_of(kModelFamilies, given.family.value_or("gpt2"))),
                 {},
                 std::move(texts),
                 std::move(tokenizer),
                 {}};
  Schedule& schedule = plan.options.schedule;
  schedule = default_schedule(given.rate.value_or(schedule.learning_rate),
                              given.steps.value_or(schedule.steps));
  apply(given, plan);
  plan.config.vocabulary = plan.tokenizer.size();
  plan.vocabulary_note =
      why_fewer(value_of(kTokenizerKinds, kind), given.vocabulary, plan.tokenizer.size());
  set_objective(objective, plan.config, plan.options);
  check_model_config(plan.config, "train");
  return plan;
}

// The plan for training a given model further.
TrainPlan further_plan(const Arguments& given) {
  RunSettings settings;
  settings.folder = given.output;
  settings.check_new();
  settings.tokenizer = kModelsOwn;
  PretrainedModel model = [&] {
    try {
      return read_pretrained(given.from);
    } catch (const Error& error) {
      throw Failure(error.argument() + ": " + error.problem());
    }
  }();
  if (!model.parameters.config().has_head) {
    throw Failure(given.from + ": is an encoder, which cannot be trained");
  }
  if (!model.tokenizer) throw Failure(given.from + ": has no tokenizer");
  TrainPlan plan{settings,
                 model.parameters.config(),
                 {},
                 read_texts(given.data, given.validation, false),
                 std::move(*model.tokenizer),
                 {}};
  const auto objective = plan.config.causal ? TrainingObjective::next : TrainingObjective::masked;
  set_objective(objective, plan.config, plan.options);
  Schedule& schedule = plan.options.schedule;
  if (given.lora) {
    plan.lora = {.rank = *given.lora, .targets = given.lora_targets};
    set(plan.lora->alpha, given.lora_alpha);
  }
  const double rate = given.lora ? kLoraLearningRate : kFurtherLearningRate;
  schedule = default_schedule(given.rate.value_or(rate), given.steps.value_or(schedule.steps));
  apply(given, plan);
  plan.config = with_context(plan.config, plan.config.context, "train");
  check_model_config(plan.config, "train");
  plan.from = std::move(model.parameters);
  plan.tokens = model.tokens;
  plan.tokens.end = model.end_tokens;
  return plan;
}

// The tokens named by the config.json of an earlier run; none without that file.
ModelTokens tokens_of(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  try {
    return parse_model_config(read_text(path.string(), false)).tokens;
  } catch (const Error& error) {
    throw Failure(path.string() + ": " + error.argument() + ": " + error.problem());
  }
}

TrainPlan resumed_plan(const Arguments& given) {
  RunSettings settings;
  settings.folder = given.output;
  const std::string file = settings.checkpoint().string();
  const ModelTokens tokens = tokens_of(settings.config());
  std::vector<std::byte> bytes = read_named(file);
  Checkpoint checkpoint;
  try {
    const Safetensors stored = parse_safetensors(bytes);
    checkpoint = read_checkpoint(stored);
    settings.read(stored.metadata, file);
    TrainPlan plan{settings,
                   checkpoint.config,
                   checkpoint.options,
                   {},
                   load_tokenizer(settings.tokenizer_file().string()),
                   {}};
    plan.lora = checkpoint.lora;
    apply(given, plan);
    const auto differs = [&](const char* name, const auto& now, const auto& then) {
      if (now == then) return;
      throw Failure(file + ": " + name + " is " + std::string(then) + ", not " + std::string(now));
    };
    differs("--tokenizer", plan.settings.tokenizer, settings.tokenizer);
    const std::string_view family = name_of(kModelFamilies, checkpoint.config.family);
    const std::string_view objective =
        name_of(kTrainingObjectives, checkpoint.options.batches.objective);
    differs("--family", std::string_view(given.family ? *given.family : family), family);
    differs("--objective", std::string_view(given.objective ? *given.objective : objective),
            objective);
    if (given.vocabulary != 0) throw Failure("--vocabulary: the checkpoint's tokenizer is used");
    if (reaches_beyond(plan.tokenizer, checkpoint.config.vocabulary)) {
      throw Failure(settings.tokenizer_file().string() + ": has " +
                    std::to_string(plan.tokenizer.size()) + " tokens, and the checkpoint " +
                    std::to_string(checkpoint.config.vocabulary));
    }
    plan.texts = read_texts(plan.settings.data, plan.settings.validation,
                            plan.settings.tokenizer == "bytes");
    if (plan.texts.fingerprint != stored.metadata.at("data_fingerprint")) {
      const bool validates = !given.validation.empty() && given.data.empty();
      const std::string& named = (validates ? given.validation : plan.settings.data).front();
      throw Failure(named + ": the texts are not those of " + file);
    }
    plan.checkpoint = std::move(bytes);
    plan.tokens = tokens;
    return plan;
  } catch (const Error& error) {
    throw Failure(file + ": " + error.argument() + ": " + error.problem());
  } catch (const std::out_of_range&) {
    throw Failure(file + ": is not a checkpoint of `tril train`");
  }
}

ExitCode run(const Program& program, const Arguments& given) {
  if (given.data.empty() && !given.resume)
    throw Failure("--data is required (`tril train --help` lists the options)");
  return run_training(program, given.output, [&] {
    if (given.resume) return resumed_plan(given);
    return given.from.empty() ? new_plan(given) : further_plan(given);
  });
}

void add_model_options(CLI::App& command, Arguments& given) {
  command.add_option("--tokenizer", given.tokenizer, "bytes, chars (default), words or bpe")
      ->check(is_name_of(kTokenizerKinds));
  command.add_option("--vocabulary", given.vocabulary, "The most tokens (default: all)")
      ->check(in_range(1, 1 << 24));
  command
      .add_option(
          "--family", given.family,
          "Family, by its model_type at Hugging Face: llama, qwen3, mistral, ... (default gpt2)")
      ->check(is_name_of(kModelFamilies));
  command
      .add_option("--objective", given.objective,
                  "next (default): the token that follows; masked: hidden ones, seen from both "
                  "sides")
      ->check(is_name_of(kTrainingObjectives));
  command.add_option("--layers", given.layers, "Layers (default 4)");
  command.add_option("--heads", given.heads, "Heads, which divide the width (default 4)");
  command.add_option("--kv-heads", given.kv_heads,
                     "Heads of keys and values, which divide the heads (default: as many)");
  command.add_option("--width", given.width, "Width of the model (default 128)");
  command.add_option(
      "--hidden", given.hidden,
      "Width inside feed-forward (default: 4 times --width; llama and its kin: 8/3)");
  command.add_option("--context", given.context, "Tokens that are seen at once (default 64)");
  command.add_option("--dropout", given.dropout,
                     "Share that is left out, of attention's weights too (default 0)");
}

void add_training_options(CLI::App& command, Arguments& given) {
  const auto count = [] { return in_range(1, 0x1p40); };
  command.add_option("--batch", given.batch, "Windows of text at once (default 12)");
  command.add_option("--accumulation", given.accumulation, "Batches a step (default 1)");
  command.add_option("--steps", given.steps, "Steps in all (default 2000)")->check(count());
  command.add_option("--learning-rate", given.rate, "The highest rate (default 1e-3)");
  command.add_option("--lowest-rate", given.lowest,
                     "The rate at the end (default: a tenth of the highest)");
  command.add_option("--warmup", given.warmup,
                     "Steps in which the rate rises (default: a twentieth of all)");
  command.add_option("--weight-decay", given.weight_decay,
                     "Weight decay of matrices (default 0.1)");
  command.add_option("--optimizer", given.optimizer, "adamw (default) or sgd")
      ->check(is_name_of(kTrainingOptimizers));
  command.add_option("--beta1", given.beta1, "AdamW's beta1 (default 0.9)");
  command.add_option("--beta2", given.beta2, "AdamW's beta2 (default 0.99)");
  command.add_option("--epsilon", given.epsilon, "AdamW's epsilon (default 1e-8)");
  command.add_option("--momentum", given.momentum, "SGD's momentum (default 0)");
  command.add_option("--clip", given.clip, "The gradient's largest norm (default 1; 0: any)");
  command.add_option("--seed", given.seed, "Seed of weights, batches and samples (default 1337)");
  command
      .add_option("--validate-every", given.every,
                  "Steps between validations, each with a sample and a checkpoint (default 250)")
      ->check(count());
  command.add_option("--sample", given.sample, "Tokens of a sample (default 100; 0: none)")
      ->check(in_range(0, 1 << 20));
  command
      .add_option("--keep", given.keep,
                  "Steps after which the model is kept, as RUN/step-N.safetensors")
      ->type_name("N ...")
      ->check(in_range(0));
  add_type(command, given.type);
}

}  // namespace

void add_train(Program& program) {
  const auto given = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "train", "Train a language model on texts",
      "  tril train --data book.txt -o run\n"
      "  tril train --data *.txt --family llama --layers 6 --width 256 --context 256 -o run\n"
      "  tril train --from SmolLM2-135M --data letters.txt --context 256 --batch 4 -o run\n"
      "  tril train --from SmolLM2-135M --lora 8 --data letters.txt --context 256 -o run\n"
      "  tril train --resume -o run",
      [&program, given] { return run(program, *given); });
  command.add_option("--data", given->data, "Texts, in their order")->type_name("FILE");
  command
      .add_option("--validation", given->validation,
                  "Texts to validate on (default: the last tenth of --data)")
      ->type_name("FILE");
  command
      .add_option("-o,--output", given->output,
                  "Folder for model.safetensors, config.json, tokenizer.json, "
                  "checkpoint.safetensors and log.csv")
      ->type_name("RUN")
      ->required();
  command.add_flag("--resume", given->resume,
                   "Go on from RUN's checkpoint, with the same bits as if it had not stopped");
  CLI::Option* const from =
      command
          .add_option(
              "--from", given->from,
              "Model to train further: a folder or a GGUF file; its sizes and its tokenizer "
              "stay (default of --learning-rate then 1e-4, of --context the model's)")
          ->type_name("MODEL");
  add_model_options(command, *given);
  for (const char* own : {"--resume", "--tokenizer", "--vocabulary", "--family", "--objective",
                          "--layers", "--heads", "--kv-heads", "--width", "--hidden"}) {
    from->excludes(own);
  }
  CLI::Option* const lora =
      command
          .add_option("--lora", given->lora,
                      "Rank of an adapter (LoRA): the model's matrices stay, and what is added to "
                      "them is trained; it is in RUN/adapter for PEFT, and merged in "
                      "model.safetensors (default of --learning-rate then 1e-3)")
          ->option_text("RANK");
  command
      .add_option("--lora-alpha", given->lora_alpha,
                  "What is added is multiplied by it and divided by the rank (default 8)")
      ->option_text("X");
  command
      .add_option("--lora-targets", given->lora_targets,
                  "Matrices that are changed, by the ends of their names (default: q_proj v_proj, "
                  "of GPT-2 c_attn)")
      ->type_name("NAME ...");
  lora->needs(from);
  for (const char* own : {"--lora-alpha", "--lora-targets"}) command.get_option(own)->needs(lora);
  add_training_options(command, *given);
  program.add_threads(command);
}

}  // namespace tril::cli
