// The progress of a run on standard error: a bar on terminals, and lines everywhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tril::cli {

class TrainProgress {
 public:
  // `unit` names what is counted besides steps.
  TrainProgress(std::int64_t done, std::int64_t steps, const char* unit = "tokens");
  ~TrainProgress();  // erases the bar
  TrainProgress(const TrainProgress&) = delete;
  TrainProgress& operator=(const TrainProgress&) = delete;

  // Shows a finished step: [####......] 512/2000 loss 2.310, 32 k tokens/s, 45 s left
  void step(std::int64_t done, double loss, std::int64_t units);
  // Prints a line that stays.
  void line(const std::string& text);

  // Seconds since the beginning.
  double seconds() const;
  double units_per_second() const;
  std::string rate_and_time_left() const;

 private:
  using Clock = std::chrono::steady_clock;
  void clear();

  const char* unit_;
  std::int64_t begun_, done_, steps_, units_ = 0;
  Clock::time_point begin_ = Clock::now(), drawn_ = {};
  bool is_terminal_, is_drawn_ = false;
};

// "0.25 s", "45 s", "3 min 20 s", "2 h 5 min".
std::string time_text(double seconds);
// "812", "32 k", "1.2 M".
std::string count_text(double count);
// A number with four digits after the point.
std::string loss_text(double loss);

}  // namespace tril::cli
