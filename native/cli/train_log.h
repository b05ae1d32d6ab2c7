// The log.csv of a run of `tril train`: one line per step.
#pragma once

#include <tril/model/trainer.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace tril::cli {

class TrainLog {
 public:
  // Keeps the first `done` steps of an existing file. Throws Failure, naming the file, where it
  // cannot be written, or read again.
  TrainLog(const std::filesystem::path& path, std::int64_t done);
  // Adds a step, and the validation loss after it.
  void add(const TrainingStep& step, std::optional<double> validation);
  // Throws Failure where the added lines cannot be written.
  void flush();

 private:
  std::string first_lines(std::int64_t count) const;

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace tril::cli
