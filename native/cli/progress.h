// What a command is doing and how far it is, on a terminal only: pipes and files get nothing of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tril::cli {

class Progress {
 public:
  // As many steps as are known of: there may be more.
  explicit Progress(std::size_t steps);
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The next of the steps begins: [####......] 2/5 reading k.npy
  void next(std::string_view step);
  // In between, how far it is, from 0 to 1: [####......] 45 % reading model.safetensors
  void at(double share, std::string_view step);

 private:
  void show(double share, std::string_view place, std::string_view step);

  std::size_t steps_, begun_ = 0;
  std::string line_;  // as it stands there
  bool shown_;
};

}  // namespace tril::cli
