// Several processes that train one model together, started by mpirun or a similar launcher (MPI, if
// found at build time).
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace tril::cli {

struct MpiFunctions;

// The processes of a run, in each of which this lives from beginning to end. A program that was
// started on its own is one process, and these functions do nothing.
class Processes {
 public:
  // Throws Failure where the program was started as several processes and MPI cannot join them.
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int number() const noexcept { return number_; }  // of this process, from 0
  int count() const noexcept { return count_; }
  // Whether this is the process that reports and writes.
  bool is_first() const noexcept { return number_ == 0; }
  // The number of processes on this machine.
  int on_this_machine() const noexcept { return on_this_machine_; }

  // In the first process each number becomes the sum over all processes; in the others it is
  // undefined.
  void add_up(std::span<float> numbers) const;
  // In every process each number becomes the same sum over all processes.
  void add_up(std::span<double> numbers) const;
  // In every process the bytes become those of the first process.
  void from_first(std::span<std::byte> bytes) const;

  // Runs body in every process. If body throws anywhere, the first process in which it did throws
  // the same, and the others throw Silent.
  void all_or_none(const std::function<void()>& body) const;

  // Prints this process's error and ends all processes: the others may be waiting for it.
  [[noreturn]] void abort(const std::string& message) const;

 private:
  const MpiFunctions* mpi_ = nullptr;  // null for a single process
  int number_ = 0, count_ = 1, on_this_machine_ = 1;
};

// A note for --help: whether several processes can be started.
extern const char* const kProcessesNote;

// Thrown where another process reports the error and this one only has to end.
struct Silent {};

}  // namespace tril::cli
