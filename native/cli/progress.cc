#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace tril::cli {

Progress::Progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_ && begun_ > 0) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::next(std::string_view step) {
  constexpr std::size_t kWidth = 20;
  steps_ = std::max(steps_, begun_ + 1);
  const std::size_t full = kWidth * begun_++ / steps_;
  if (!shown_) return;
  std::cerr << "\r\x1b[K[" << std::string(full, '#') << std::string(kWidth - full, '.') << "] "
            << begun_ << '/' << steps_ << ' ' << step << std::flush;
}

}  // namespace tril::cli
