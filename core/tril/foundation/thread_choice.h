// Finds the number of threads that is fastest for work that is repeated.
//
// Threads that work on the same memory send it to each other. For short work this can cost more
// time than the threads save. The cost depends on the machine and on its other programs, so each
// number of threads is tried. Only for work whose result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <vector>

namespace tril {

// Chooses again after about a hundred pieces of work, since other programs may have started to use
// the processors.
class ThreadChoice {
 public:
  // Tries 1, 2, 4, ... and `most` threads, from the most to the fewest.
  explicit ThreadChoice(int most);

  int most() const noexcept { return tried_.front().threads; }  // the maximum
  // The number of threads for the next piece of work.
  int threads() const noexcept { return tried_[at_].threads; }
  // Reports a finished piece: its amount of work, in any unit, and its duration.
  void took(double work, double seconds);

 private:
  // Each number of threads is tried for kTries pieces, of which the fastest counts. The best one is
  // then used for kUses pieces before all are tried again.
  static constexpr int kTries = 3, kUses = 120;

  struct Tried {
    int threads;
    double rate;
  };
  std::vector<Tried> tried_;
  std::size_t at_ = 0;
  bool is_chosen_ = false;
  int left_ = kTries;
};

}  // namespace tril
