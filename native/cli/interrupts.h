// What asks a run to end: Ctrl-C, a shut-down (SIGTERM), a terminal that is gone (SIGHUP).
#pragma once

namespace tril::cli {

// While it lives, the first signal of a kind only leaves word, and the second ends the program at
// once. What is ignored, as by nohup, stays so.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Whether there was one.
  static bool any() noexcept;
};

}  // namespace tril::cli
