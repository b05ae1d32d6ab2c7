#include <tril/foundation/check.h>
#include <tril/foundation/parallel.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tril {

struct Parallel::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> workers;
  Task task{};
  Index count = 0;
  std::atomic<Index> next{0};
  std::size_t round = 0;    // raised for each run, so that a worker takes part in it once
  std::size_t working = 0;  // workers that have not finished this round
  bool stop = false;

  void work(int worker) {
    for (Index item; (item = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      task.call(task.body, item, worker);
    }
  }

  void serve(int worker) {
    std::unique_lock lock(mutex);
    for (std::size_t seen = 0;;) {
      wake.wait(lock, [&] { return stop || round != seen; });
      if (stop) return;
      seen = round;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--working == 0) done.notify_one();
    }
  }
};

Parallel::Parallel(int threads) {
  if (threads < 1) fail("Parallel", "threads", "must be at least 1, is " + std::to_string(threads));
  if (threads == 1) return;
  pool_ = std::make_unique<Pool>();
  try {
    for (int worker = 1; worker < threads; ++worker) {
      pool_->workers.emplace_back([pool = pool_.get(), worker] { pool->serve(worker); });
    }
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
  threads_ = 1 + static_cast<int>(pool_->workers.size());
}

Parallel::~Parallel() {
  if (!pool_) return;
  {
    const std::lock_guard lock(pool_->mutex);
    pool_->stop = true;
  }
  pool_->wake.notify_all();
  for (std::thread& worker : pool_->workers) worker.join();
}

void Parallel::run(Index count, Task task) {
  {
    const std::lock_guard lock(pool_->mutex);
    pool_->task = task;
    pool_->count = count;
    pool_->next.store(0, std::memory_order_relaxed);
    pool_->working = pool_->workers.size();
    ++pool_->round;
  }
  pool_->wake.notify_all();
  pool_->work(0);
  std::unique_lock lock(pool_->mutex);
  pool_->done.wait(lock, [&] { return pool_->working == 0; });
}

}  // namespace tril
