#include "train_log.h"

#include <charconv>
#include <span>

#include "program.h"
#include "train_run.h"

namespace tril::cli {
namespace {

std::string number(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

constexpr const char* kLogHead = "step,loss,validation_loss,gradient_norm,learning_rate,seconds\n";

}  // namespace

TrainLog::TrainLog(const std::filesystem::path& path, std::int64_t done) : path_(path) {
  std::string kept = kLogHead;
  if (done > 0) kept += first_lines(done);
  write_named(path, std::as_bytes(std::span(kept)));
  file_.open(path, std::ios::app);
}

void TrainLog::add(const TrainingStep& step, std::optional<double> validation) {
  file_ << std::to_string(step.step) << ',' << number(step.loss) << ','
        << (validation ? number(*validation) : "") << ',' << number(step.gradient_norm) << ','
        << number(step.learning_rate) << ',' << number(step.seconds) << '\n';
}

void TrainLog::flush() {
  if (!file_.flush()) throw Failure(path_.string() + ": cannot be written");
}

// The first `count` lines. Devices have none: /dev/full would give zeros without end, and a pipe
// would wait for its writer.
std::string TrainLog::first_lines(std::int64_t count) const {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_fifo(status)) {
    throw Failure(path_.string() + ": is a pipe, from which its first steps cannot be read again");
  }
  std::string lines;
  if (!fs::is_regular_file(status)) return lines;
  std::ifstream old(path_);
  std::string line;
  std::getline(old, line);
  for (std::int64_t n = 0; n < count && std::getline(old, line); ++n) lines += line + "\n";
  return lines;
}

}  // namespace tril::cli
