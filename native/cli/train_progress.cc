#include "train_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace tril::cli {
namespace {

template <typename... Values>
std::string printed(const char* format, Values... values) {
  char text[80];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 10) return printed("%.2g s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds + 0.5, 1e15));
  if (whole < 60) return printed("%lld s", whole);
  if (whole < 3600) return printed("%lld min %lld s", whole / 60, whole % 60);
  return printed("%lld h %lld min", whole / 3600, whole % 3600 / 60);
}

std::string count_text(double count) {
  if (count < 999.5) return printed("%.0f", count);
  if (count < 999500) return printed("%.3g k", count / 1e3);
  return printed("%.3g M", count / 1e6);
}

std::string loss_text(double loss) { return printed("%.4f", loss); }

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
            << done << '/' << steps_ << " loss " << loss_text(loss) << ", " << rate_and_time_left()
            << std::flush;
}

void TrainProgress::line(const std::string& text) {
  clear();
  std::cerr << text << std::endl;
}

}  // namespace tril::cli
