// tril generate --model DIR --prompt TEXT: continues a text token by token.
#include <tril/model/generation.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "model_folder.h"
#include "program.h"

namespace tril::cli {
namespace {

struct Arguments {
  ModelFolder model;
  std::string prompt;
  GenerationOptions options;
};

void stream(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw Failure("standard output: cannot be written");
}

// The bytes of the weights, and the number of elements of each type.
nlohmann::ordered_json weights_of(const ModelParameters& parameters) {
  nlohmann::ordered_json types;
  for (const auto& [type, count] : parameters.types()) types[name_of(kWeightKinds, type)] = count;
  return {{"bytes", parameters.bytes()}, {"types", types}};
}

ExitCode generate(const Program& program, const Arguments& arguments) {
  const std::string text = text_of(arguments.prompt);
  const PretrainedModel model = arguments.model.read();
  if (!model.parameters.config().has_head) {
    throw Failure(
        arguments.model.path +
        ": is an encoder, which cannot continue a text; `tril embed` makes vectors with it");
  }
  const std::vector<TokenId> ids = arguments.model.tokenizer_of(model).encode(text);
  const std::vector<std::int32_t> prompt(ids.begin(), ids.end());
  Generation generation(model, prompt, arguments.options);
  Scratch scratch;
  Parallel parallel(program.thread_count());

  std::vector<std::int32_t> tokens;
  std::string written;
  const auto write = [&](const std::string& piece) {
    written += piece;
    if (!program.json) stream(piece);
  };
  if (!program.json) stream(text);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Clock::time_point first = begin;  // when the first token after the prompt was ready
  while (const auto next = generation.next({scratch, parallel})) {
    if (tokens.empty()) first = Clock::now();
    tokens.push_back(next->token);
    write(next->text);
  }
  const std::chrono::duration<double> all = Clock::now() - begin, each = Clock::now() - first;
  write(generation.rest());
  if (!program.json) {
    stream("\n");
    return kDone;
  }
  const auto rate = [](std::size_t count, double seconds) {
    return count > 0 && seconds > 0 ? static_cast<double>(count) / seconds : 0;
  };
  const std::size_t after = tokens.empty() ? 0 : tokens.size() - 1;
  program.print({{"prompt", text},
                 {"prompt_tokens", prompt.size()},
                 {"text", written},
                 {"tokens", tokens},
                 {"end", name_of(kGenerationEnds, generation.end())},
                 {"seconds", all.count()},
                 {"tokens_per_second", rate(after, each.count())},
                 {"weights", weights_of(model.parameters)}},
                "");
  return kDone;
}

ExitCode run(const Program& program, const Arguments& arguments) {
  try {
    return generate(program, arguments);
  } catch (const Error& error) {
    const std::string& of = error.argument();
    const bool is_option = of == "prompt" || of == "context";
    const std::string where = of == "config" ? arguments.model.path : (is_option ? "--" : "") + of;
    throw Failure(where + ": " + error.problem());
  }
}

void add_drawing_options(CLI::App& command, GenerationOptions& options) {
  SamplingOptions& sampling = options.sampling;
  command.add_option("--max-tokens", options.max_tokens, "The most tokens to add (default 100)")
      ->check(in_range(0, 1 << 24))
      ->option_text("N");
  command
      .add_option("--temperature", sampling.temperature,
                  "Logits are divided by it (default 0.8); 0: always the most likely token")
      ->check(in_range(0))
      ->option_text("X");
  command.add_option("--top-k", sampling.top_k, "Only the K most likely (default 0: all)")
      ->check(in_range(0, 1 << 24))
      ->option_text("K");
  command
      .add_option("--top-p", sampling.top_p,
                  "Only the fewest that together have this probability (default 1: all)")
      ->check(in_range(0.0, 1.0))
      ->option_text("P");
  command
      .add_option("--min-p", sampling.min_p,
                  "Only those with at least this share of the largest probability (default 0: all)")
      ->check(in_range(0.0, 1.0))
      ->option_text("P");
  command
      .add_option("--seed", options.seed,
                  "Seed of the draws (default 0): the same seed gives the same text")
      ->option_text("N");
  command.add_option("--stop", options.stop, "End before this text; may be given several times")
      ->expected(1)
      ->take_all()
      ->option_text("TEXT");
}

}  // namespace

void add_generate(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "generate", "Let a language model continue a text",
      "  tril generate --model run --prompt \"The Union\"\n"
      "  tril generate --model run --prompt - --temperature 0 --max-tokens 50 < text.txt\n"
      "  tril generate --model gpt2 --prompt \"Once\" --top-p 0.9 --seed 7 --stop \".\" --json",
      [&program, arguments] { return run(program, *arguments); });
  arguments->model.add_to(command);
  command.add_option("--prompt", arguments->prompt, "How the text begins; - for standard input")
      ->required()
      ->option_text("TEXT");
  add_drawing_options(command, arguments->options);
  program.add_threads(command);
}

}  // namespace tril::cli
