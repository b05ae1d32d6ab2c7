// How many threads do a piece of work fastest, where it is done again and again.
//
// Threads that work on the same memory send it to each other. For short pieces of work that can
// take longer than what the threads save. How long it takes depends on the machine and on who else
// uses it, so each number of threads is tried. Only for work whose result does not depend on it.
#pragma once

#include <cstddef>
#include <vector>

namespace tril {

// Chooses again every hundred pieces or so, since others may use the processors by then.
class ThreadChoice {
 public:
  // Tries 1, 2, 4 ... and all of so many threads, from the most to the fewest.
  explicit ThreadChoice(int most);

  int most() const noexcept { return tried_.front().threads; }  // that may be tried
  // How many are to do the next piece.
  int threads() const noexcept { return tried_[at_].threads; }
  // Of the piece that they did: how much it was, in any unit, and how long it took.
  void took(double work, double seconds);

 private:
  // Each number of threads does so many pieces, of which the fastest counts; the best of them then
  // does so many, before all are tried anew.
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
