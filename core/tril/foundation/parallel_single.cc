// Parallel for builds without threads, instead of parallel.cc: the caller does all the work,
// whatever number of threads it asks for.
#include <tril/foundation/check.h>
#include <tril/foundation/parallel.h>

namespace tril {

struct Parallel::Pool {};

Parallel::Parallel(int threads) {
  constexpr int kMostThreads = 1 << 12;
  if (threads < 1 || threads > kMostThreads) {
    fail("Parallel", "threads", {"must be from 1 to ", kMostThreads, ", is ", threads});
  }
}

Parallel::~Parallel() = default;

bool Parallel::started() const noexcept { return true; }

void Parallel::run(Index count, Task task) {
  for (Index item = 0; item < count; ++item) task.call(task.body, item, 0);
}

}  // namespace tril
