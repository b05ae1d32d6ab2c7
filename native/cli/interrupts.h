// Signals that ask a run to end: Ctrl-C, a shut-down (SIGTERM), a closed terminal (SIGHUP).
#pragma once

namespace tril::cli {

// While it lives, the first signal of a kind is only recorded, and the second ends the program at
// once. An ignored signal, as under nohup, stays ignored.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Whether there has been a signal.
  static bool any() noexcept;
};

}  // namespace tril::cli
