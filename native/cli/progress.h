// The progress of a command. It is shown on terminals only; pipes and files get nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tril::cli {

class Progress {
 public:
  // `steps` is the number of steps known so far; there may be more.
  explicit Progress(std::size_t steps);
  ~Progress();  // erases the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins the next step: [####......] 2/5 reading k.npy
  void next(std::string_view step);
  // Shows the progress within a step, from 0 to 1: [####......] 45 % reading model.safetensors
  void at(double share, std::string_view step);

 private:
  void show(double share, std::string_view place, std::string_view step);

  std::size_t steps_, begun_ = 0;
  std::string line_;  // as shown on the terminal
  bool shown_;
};

}  // namespace tril::cli
