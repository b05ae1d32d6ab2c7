#include <tril/foundation/check.h>
#include <tril/foundation/parallel.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tril {
namespace {

// How long a thread looks for what it waits for before it sleeps. Being woken takes some 50
// microseconds, and the next part of a computation mostly comes sooner.
constexpr std::chrono::microseconds kPatience{100};

// Whether `ready` came true in that time. The clock is asked once for many looks, since that is a
// call into JavaScript in WebAssembly.
template <typename Ready>
bool came_soon(const Ready& ready) {
  constexpr int kLooks = 256;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int look = 0; look < kLooks; ++look) {
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// A round: the caller opens it, works, and closes it when nothing is left to begin. Workers that
// come while it is open take part; one that is woken too late is not waited for.
struct Parallel::Pool {
  // The state of the rounds, in one word: workers that take part now, + kOpen, + kRound for each.
  static constexpr std::uint64_t kOpen = std::uint64_t{1} << 31, kRound = kOpen << 1;
  static bool is_open(std::uint64_t state) noexcept { return (state & kOpen) != 0; }
  static bool is_busy(std::uint64_t state) noexcept { return state % kOpen != 0; }

  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> workers;
  std::atomic<std::uint64_t> state{0};
  std::atomic<Index> next{0};
  // Written while no round is open and nobody takes part, read by those who do.
  Task task{};
  Index count = 0;
  bool stop = false;

  void work(int worker) {
    for (Index item; (item = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      task.call(task.body, item, worker);
    }
  }

  // To whoever sleeps: it either has not looked at the state yet, or is woken.
  void tell(std::condition_variable& sleepers) {
    { const std::lock_guard lock(mutex); }
    sleepers.notify_all();
  }

  // For `ready`, awake at first and then asleep.
  template <typename Ready>
  void wait(std::condition_variable& sleepers, const Ready& ready) {
    if (came_soon(ready)) return;
    std::unique_lock lock(mutex);
    sleepers.wait(lock, ready);
  }

  void open_round() {
    state = (state / kRound + 1) * kRound + kOpen;
    tell(wake);
  }

  void close_round() {
    if (is_busy(state.fetch_and(~kOpen))) wait(done, [&] { return !is_busy(state); });
  }

  void serve(int worker) {
    for (std::uint64_t seen = 0;;) {
      std::uint64_t now = 0;
      wait(wake, [&] { return is_open(now = state) && now / kRound != seen; });
      if (!state.compare_exchange_strong(now, now + 1)) continue;
      seen = now / kRound;
      if (stop) return;
      work(worker);
      now = --state;
      if (!is_open(now) && !is_busy(now)) tell(done);
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
  pool_->stop = true;
  pool_->open_round();
  for (std::thread& worker : pool_->workers) worker.join();
}

void Parallel::run(Index count, Task task) {
  pool_->task = task;
  pool_->count = count;
  pool_->next = 0;
  pool_->open_round();
  pool_->work(0);
  pool_->close_round();
}

}  // namespace tril
