// Threads as an argument: a Parallel owns a fixed set of workers, and a function that can use them
// takes one.
//
// Work is a number of equal items. Every thread, the calling one too, begins with a share of its
// own. Shares are neighbours, the same from one call to the next, so a thread mostly finds in its
// own cache what it wrote a moment ago. Who is done first takes over what is left of the others'
// shares. With one thread everything runs in the caller and no thread is ever made. Where there are
// no more threads to be had, or no memory for them, there are fewer: threads() says how many.
#pragma once

#include <tril/foundation/tensor.h>

#include <memory>

namespace tril {

// The calling thread and its helpers.
class Parallel {
 public:
  // From 1 to 4096 threads, the caller's included. Throws Error for others.
  explicit Parallel(int threads = 1);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  // The caller's included.
  int threads() const noexcept { return threads_; }

  // Calls body(item, worker) once for every item in [0, count), and returns when all are done.
  // worker, in [0, threads()), is never busy with two items at once: it names a slice of working
  // memory. The order of items is not defined. body must not throw and must not use this Parallel
  // itself. One caller at a time.
  template <typename Body>
  void for_each(Index count, const Body& body) {
    if (threads_ == 1 || count <= 1) {
      for (Index item = 0; item < count; ++item) body(item, 0);
    } else {
      run(count, {&body, [](const void* self, Index item, int worker) {
                    (*static_cast<const Body*>(self))(item, worker);
                  }});
    }
  }

 private:
  struct Task {
    const void* body;
    void (*call)(const void* body, Index item, int worker);
  };
  struct Pool;

  void run(Index count, Task task);

  int threads_ = 1;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tril
