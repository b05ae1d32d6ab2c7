// Several processes that train one model together, started by mpirun or its kin (MPI, where it was
// found).
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace tril::cli {

struct MpiFunctions;

// From the first to the last in every process at once. Where the program was started as usual there
// is one process, and nothing is done.
class Processes {
 public:
  // Throws Failure where the program was started as several processes and MPI cannot join them.
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

  // In the first process each becomes the sum over all of them; in the others it becomes anything.
  void add_up(std::span<float> numbers) const;
  // In every process each becomes the same sum over all of them.
  void add_up(std::span<double> numbers) const;
  // In every process they become those of the first.
  void from_first(std::span<std::byte> bytes) const;

  // Runs body in every process. If it throws anywhere, the first process in which it did throws
  // that, and the others Silent.
  void all_or_none(const std::function<void()>& body) const;

  // Says what went wrong in this process and ends all of them: the others may wait for it.
  [[noreturn]] void abort(const std::string& message) const;

 private:
  const MpiFunctions* mpi_ = nullptr;  // where there are several
  int number_ = 0, count_ = 1, on_this_machine_ = 1;
};

// Whether several can be started, for --help.
extern const char* const kProcessesNote;

// Another process says what went wrong: this one only ends.
struct Silent {};

}  // namespace tril::cli
