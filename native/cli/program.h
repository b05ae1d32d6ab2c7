// The program `tril`: one file per command, each adding its own.
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/message.h>
#include <tril/foundation/named.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tril::cli {

// A message for the user, which says in one line what is wrong and where.
class Failure : public std::runtime_error {
 public:
  explicit Failure(std::string_view text) : std::runtime_error(detail::on_one_line(text)) {}
};

enum ExitCode { kDone = 0, kDifferent = 1, kFailed = 2, kInterrupted = 130 };

struct Program {
  CLI::App app;
  bool json = false;
  int threads = 0;                // 0: one per processor
  std::function<ExitCode()> run;  // the chosen command

  // Adds a command with the options that all commands share. `run` is called once its options are
  // read.
  CLI::App& add(const std::string& name, const std::string& description,
                const std::string& examples, std::function<ExitCode()> run);
  static CLI::Option* add_file(CLI::App& command, const char* names, std::string& path,
                               const char* description);
  void add_threads(CLI::App& command);

  int thread_count() const;
  // Prints the text or, with --json, the report.
  void print(const nlohmann::ordered_json& report, const std::string& text) const;
};

// A check that an option is one of the core's names; hyphens may stand for underscores.
template <typename Enum, std::size_t Count>
CLI::IsMember is_name_of(const Named<Enum> (&table)[Count]) {
  std::vector<std::string> names;
  for (const Named<Enum>& each : table) names.emplace_back(each.name);
  return CLI::IsMember(std::move(names), [](std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
  });
}

// A check that an option is a number from `least` to `most`. (CLI11's own check writes both with
// std::to_string: the largest double has 309 digits.)
inline CLI::Validator in_range(double least,
                               double most = std::numeric_limits<double>::infinity()) {
  return CLI::Validator(
      [least, most](const std::string& input) {
        double value = 0;
        if (CLI::detail::lexical_cast(input, value) && value >= least && value <= most) {
          return std::string();
        }
        const Message from(std::isinf(most) ? "must be at least " : "must be from ", least);
        return std::isinf(most) ? Message(from, ", is ", input).text()
                                : Message(from, " to ", most, ", is ", input).text();
      },
      "", "NUMBER");
}

// The value of a name that has passed that check.
template <typename Enum, std::size_t Count>
Enum value_of(const Named<Enum> (&table)[Count], const std::string& name) {
  return value_named(table, name, "tril", "option", "name");
}

// JSON on one line, with U+FFFD for invalid UTF-8.
std::string json_text(const nlohmann::ordered_json& json);

// The value of an option, or, where it is "-", all of standard input.
std::string text_of(const std::string& argument);

void add_attention(Program& program);
void add_matmul(Program& program);
void add_block(Program& program);
void add_bench(Program& program);
void add_check(Program& program);
void add_embed(Program& program);
void add_generate(Program& program);
void add_info(Program& program);
void add_look(Program& program);
void add_tokenizer(Program& program);
void add_train(Program& program);
void add_vectors(Program& program);

}  // namespace tril::cli
