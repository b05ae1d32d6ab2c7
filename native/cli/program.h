// The program `tril`: one command a file, each adding itself.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace tril::cli {

// A message for the user, which says what and where in one line.
class Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum ExitCode { kDone = 0, kDifferent = 1, kFailed = 2 };

struct Program {
  CLI::App app;
  bool json = false;
  int threads = 0;                // 0: one a processor
  std::function<ExitCode()> run;  // the command that was chosen

  // A command, with the options that all share. `run` is what it does once its options are read.
  CLI::App& add(const std::string& name, const std::string& description,
                const std::string& examples, std::function<ExitCode()> run);
  static CLI::Option* add_file(CLI::App& command, const char* names, std::string& path,
                               const char* description);
  void add_threads(CLI::App& command);

  int thread_count() const;
  // For people or, with --json, for programs.
  void print(const nlohmann::ordered_json& report, const std::string& text) const;
};

void add_attention(Program& program);
void add_matmul(Program& program);
void add_block(Program& program);
void add_bench(Program& program);
void add_check(Program& program);
void add_info(Program& program);

}  // namespace tril::cli
