#include "train_progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "number_text.h"

namespace tril::cli {

std::string time_text(double seconds) {
  if (seconds < 10) return general_text(seconds, 2) + " s";
  const auto whole = static_cast<long long>(std::min(seconds + 0.5, 1e15));
  const auto text = [](long long count, const char* unit) { return std::to_string(count) + unit; };
  if (whole < 60) return text(whole, " s");
  if (whole < 3600) return text(whole / 60, " min ") + text(whole % 60, " s");
  return text(whole / 3600, " h ") + text(whole % 3600 / 60, " min");
}

std::string count_text(double count) {
  if (count < 999.5) return fixed_text(count, 0);
  if (count < 999500) return general_text(count / 1e3, 3) + " k";
  return general_text(count / 1e6, 3) + " M";
}

std::string loss_text(double loss) { return fixed_text(loss, 4); }

TrainProgress::TrainProgress(std::int64_t done, std::int64_t steps, const char* unit)
    : unit_(unit),
      begun_(done),
      done_(done),
      steps_(steps),
      is_terminal_(isatty(STDERR_FILENO) != 0) {}

TrainProgress::~TrainProgress() { clear(); }

void TrainProgress::clear() {
  if (is_drawn_) std::cerr << "\r\x1b[K" << std::flush;
  is_drawn_ = false;
}

double TrainProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

double TrainProgress::units_per_second() const {
  return static_cast<double>(units_) / std::max(seconds(), 1e-9);
}

std::string TrainProgress::rate_and_time_left() const {
  const auto made = static_cast<double>(done_ - begun_);
  const auto left = static_cast<double>(steps_ - done_);
  std::string text = count_text(units_per_second()) + " " + unit_ + "/s";
  if (made > 0 && left > 0) text += ", " + time_text(seconds() / made * left) + " left";
  return text;
}

void TrainProgress::step(std::int64_t done, double loss, std::int64_t units) {
  constexpr std::chrono::milliseconds kBetween{100};
  constexpr std::int64_t kWidth = 20;
  done_ = done;
  units_ += units;
  if (!is_terminal_ || Clock::now() - drawn_ < kBetween) return;
  drawn_ = Clock::now();
  is_drawn_ = true;
  const auto full = static_cast<std::size_t>(kWidth * done / std::max<std::int64_t>(steps_, 1));
  std::cerr << "\r\x1b[K[" << std::string(full, '#') << std::string(kWidth - full, '.') << "] "
            << std::to_string(done) << '/' << std::to_string(steps_) << " loss " << loss_text(loss)
            << ", " << rate_and_time_left() << std::flush;
}

void TrainProgress::line(const std::string& text) {
  clear();
  std::cerr << text << std::endl;
}

}  // namespace tril::cli
