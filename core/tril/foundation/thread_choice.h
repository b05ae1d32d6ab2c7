// How many threads do a piece of work fastest, where it is done again and again.
//
// Threads that work on the same memory send it to each other. For short pieces that may take longer
// than what they save, by how far apart the processors are and by who else uses them; so it is
// tried. For work whose result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <vector>

namespace tril {

// Begins anew every hundred pieces or so: who else uses the processors changes.
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
