// Threads as an argument: a Parallel owns a fixed set of worker threads, and functions that can use
// threads take one.
//
// Work is a number of equal items. Every thread, the caller's too, begins with its own contiguous
// share. Shares are the same from one call to the next, so a thread mostly finds in its cache what
// it wrote before. A thread that has finished takes items from the shares of others. With one
// thread everything runs in the caller, and no thread is created. Where the system has no more
// threads, or no memory for them, there are fewer: see threads().
#pragma once

#include <tril/foundation/tensor.h>

#include <memory>

namespace tril {

// The calling thread and its workers.
class Parallel {
 public:
  // `threads` is from 1 to 4096 and includes the caller's. Throws Error for other numbers.
  explicit Parallel(int threads = 1);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  // The number of threads, the caller's included.
  int threads() const noexcept { return threads_; }
  // Whether all of them run. They may start after the constructor has returned; until then, the
  // others do their work.
  bool started() const noexcept;

  // Calls body(item, worker) once for every item in [0, count), and returns when all are done.
  // `worker`, in [0, threads()), never has two items at once, and so can choose a slice of working
  // memory. The order of items is not defined. body must not throw or use this Parallel. Only one
  // thread may call this at a time.
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
