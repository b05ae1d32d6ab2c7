#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace tril::cli {

Progress::Progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (!line_.empty()) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::next(std::string_view step) {
  steps_ = std::max(steps_, begun_ + 1);
  const double share = static_cast<double>(begun_++) / static_cast<double>(steps_);
  show(share, std::to_string(begun_) + '/' + std::to_string(steps_), step);
}

void Progress::at(double share, std::string_view step) {
  show(share, std::to_string(static_cast<int>(100 * share)) + " %", step);
}

void Progress::show(double share, std::string_view place, std::string_view step) {
  if (!shown_) return;
  constexpr std::size_t kWidth = 20;
  const auto full = static_cast<std::size_t>(kWidth * share);
  std::string line = '[' + std::string(full, '#') + std::string(kWidth - full, '.') + "] ";
  line.append(place).append(" ").append(step);
  if (line == line_) return;
  line_ = line;
  std::cerr << "\r\x1b[K" << line_ << std::flush;
}

}  // namespace tril::cli
