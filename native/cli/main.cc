// tril COMMAND OPTIONS: exit code 0 on success, 1 when `check` finds a difference, 2 when the
// options or the files are wrong, as one line on stderr then says, 130 when `train` was
// interrupted.
#include <tril/foundation/isa.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <thread>

#include "npz.h"
#include "processes.h"
#include "program.h"
#include "suggestion.h"

namespace tril::cli {

CLI::App& Program::add(const std::string& name, const std::string& description,
                       const std::string& examples, std::function<ExitCode()> body) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_flag("--json", json, "Report as JSON");
  command->callback([this, body = std::move(body)] { run = body; });
  return *command;
}

CLI::Option* Program::add_file(CLI::App& command, const char* names, std::string& path,
                               const char* description) {
  return command.add_option(names, path, description)->type_name("FILE");
}

void Program::add_threads(CLI::App& command) {
  command.add_option("--threads", threads, "Threads (default: one a processor)")
      ->check(in_range(1, 1024));
}

int Program::thread_count() const {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void Program::print(const nlohmann::ordered_json& report, const std::string& text) const {
  if (json) {
    std::cout << json_text(report) << '\n';
  } else {
    std::cout << text;
  }
  if (!std::cout.flush()) throw Failure("standard output: cannot be written");
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_of(const std::string& argument) {
  if (argument != "-") return argument;
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

namespace {

// The command whose options are wrong, whose help the message points to.
std::string command_line(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? "tril" : "tril " + chosen.front()->get_name();
}

// The problem with the options. An unknown command or option comes first, since it may be a
// misspelling of the missing one.
std::string problem_of(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto is_word = [](const std::string& word) { return !word.starts_with('-'); };
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto word = std::ranges::find_if(words, is_word);
    if (word == words.end()) return error.what();
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
    return *word + ": there is no such command" + did_you_mean(*word, names);
  }
  for (const std::string& word : chosen.front()->remaining()) {
    if (!word.starts_with("--")) continue;
    std::vector<std::string> names;
    for (const CLI::Option* each : chosen.front()->get_options()) {
      for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
    }
    const std::string option = word.substr(0, word.find('='));
    return option + ": there is no such option" + did_you_mean(option, names);
  }
  return error.what();
}

// CLI11 takes an argument of a list such as [MASK], or [a, b], for a list of its own, and this
// cannot be switched off. An argument ending in ']' therefore gets a last byte that no argument can
// hold while CLI11 reads it.
constexpr char kMark = '\0';

std::string unmarked(std::string text) {
  std::erase(text, kMark);
  return text;
}

void parse(CLI::App& app, int argc, char** argv) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) option->transform(unmarked);
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word.ends_with(']')) word += kMark;
  }
  std::ranges::reverse(words);  // the order CLI11 expects
  app.parse(std::move(words));
}

ExitCode run(int argc, char** argv) {
  Program program;
  program.app.name("tril")->description(
      "Matrix products, attention and Transformer blocks on .npy and .safetensors files; "
      "tokenizers, word vectors and language models from texts.");
  program.app.set_version_flag("--version", "tril " TRIL_VERSION);
  program.app.require_subcommand(1);
  program.app.footer(
      "`tril COMMAND --help` lists a command's options, with examples.\n"
      "Exit codes: 0 done, 1 `check` found a difference, 2 an error, 130 `train` was "
      "interrupted.\n" +
      std::string(kNpzNote) + "\n" + kProcessesNote);
  for (const auto add :
       {add_attention, add_matmul, add_block, add_bench, add_check, add_info, add_tokenizer,
        add_vectors, add_train, add_generate, add_look, add_embed}) {
    add(program);
  }
  try {
    parse(program.app, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(program.app.exit(error));
    throw Failure(unmarked(problem_of(program.app, error, argc, argv)) + " (`" +
                  command_line(program.app) + " --help` lists the options)");
  }
  best_isa();  // a wrong TRIL_FORCE_ISA is reported before anything is read
  return program.run();
}

}  // namespace
}  // namespace tril::cli

int main(int argc, char** argv) {
  std::string message;
  try {
    return tril::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    message = "not enough memory";
  } catch (const std::exception& error) {
    message = error.what();
  }
  std::ranges::replace(message, '\n', ' ');
  std::cerr << "tril: " << message << '\n';
  return tril::cli::kFailed;
}
