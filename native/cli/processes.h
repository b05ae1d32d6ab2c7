// Several processes that train one model together, started by mpirun (MPI, where it was found).
#pragma once

#include <tril/foundation/tensor.h>

#include <functional>
#include <span>
#include <string>

namespace tril::cli {

// From the first to the last in every process at once. Where the program was started as usual there
// is one process, and nothing is done.
class Processes {
 public:
  // Throws Failure where the program was started as several processes and is built without MPI.
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int number() const noexcept { return number_; }  // of this one, from 0
  int count() const noexcept { return count_; }
  // The one that reports and writes.
  bool is_first() const noexcept { return number_ == 0; }
  // How many of them share this machine.
  int on_this_machine() const noexcept { return on_this_machine_; }

  // In every process each becomes the sum over all of them.
  void add_up(std::span<float> numbers) const;
  void add_up(std::span<double> numbers) const;

  // Runs body in every process. If it throws anywhere, the first process in which it did throws
  // that, and the others Silent.
  void all_or_none(const std::function<void()>& body) const;

  // Says what went wrong in this process and ends all of them: the others may wait for it.
  [[noreturn]] void abort(const std::string& message) const;

 private:
  bool is_started_ = false;
  int number_ = 0, count_ = 1, on_this_machine_ = 1;
};

// Whether several can be started, for --help.
extern const char* const kProcessesNote;

// Another process says what went wrong: this one only ends.
struct Silent {};

}  // namespace tril::cli
