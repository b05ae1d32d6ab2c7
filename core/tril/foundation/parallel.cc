#include <tril/foundation/check.h>
#include <tril/foundation/isa.h>
#include <tril/foundation/parallel.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace tril {
namespace {

// The time that a thread spins before it sleeps. Waking takes about 50 microseconds, and the next
// part of a computation mostly comes sooner.
constexpr std::chrono::microseconds kPatience{100};

// Spins until `ready` is true; returns false after kPatience. It reads the clock once for many
// tests, since that is a call to JavaScript in WebAssembly.
template <typename Ready>
bool spin_until(const Ready& ready) {
  constexpr int kLooks = 128;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int look = 0; look < kLooks; ++look) {
      if (ready()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// A round: the caller opens it, works, and closes it when no item is left to begin. Workers that
// arrive while it is open take part; the caller does not wait for a worker that wakes too late.
struct Parallel::Pool {
  // The state of the rounds, in one word: the number of workers taking part, + kOpen, + kRound for
  // each round.
  static constexpr std::uint64_t kOpen = std::uint64_t{1} << 31, kRound = kOpen << 1;
  static bool is_open(std::uint64_t state) noexcept { return (state & kOpen) != 0; }
  static bool is_busy(std::uint64_t state) noexcept { return state % kOpen != 0; }

  // Threads that sleep until they are notified. A thread counts itself before its last test, and a
  // notifier writes before it reads the count (both sequentially consistent), so that one of them
  // sees the other. Therefore nothing is locked while all are awake.
  struct Sleepers {
    std::mutex mutex;
    std::condition_variable condition;
    std::atomic<int> count{0};

    template <typename Ready>
    void wait(const Ready& ready) {
      if (spin_until(ready)) return;
      std::unique_lock lock(mutex);
      ++count;
      condition.wait(lock, ready);
      --count;
    }

    void notify() {
      if (count == 0) return;
      { const std::lock_guard lock(mutex); }
      condition.notify_all();
    }
  };

  // Bytes. Data of different threads begin on separate pairs of cache lines, since processors fetch
  // lines of 64 bytes in pairs.
  static constexpr std::size_t kLinePair = 128;

  // A thread's own items, of which [next, end) have not been begun.
  struct alignas(kLinePair) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };

  explicit Pool(int threads) : shares(static_cast<std::size_t>(threads)) {
    workers.reserve(shares.size());
  }

  alignas(kLinePair) std::atomic<std::uint64_t> state{0};
  // Written while no round is open and no worker takes part; read by those that do.
  alignas(kLinePair) Task task{};
  bool stop = false;
  std::atomic<int> started{0};  // number of running workers
  std::vector<Share> shares;    // one per thread
  alignas(kLinePair) Sleepers workers_asleep;
  alignas(kLinePair) Sleepers caller_asleep;
  std::vector<std::thread> workers;

  void distribute_tasks(Index count) {
    Index first = 0, left = static_cast<Index>(shares.size());
    for (Share& share : shares) {
      share.next.store(first, std::memory_order_relaxed);
      first += (count - first) / left--;
      share.end = first;
    }
  }

  // A thread does its own share first, then the rest of the others' shares.
  void work(int worker) {
    const Task todo = task;
    const std::size_t threads = shares.size();
    for (std::size_t i = 0; i < threads; ++i) {
      Share& share = shares[(static_cast<std::size_t>(worker) + i) % threads];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const Index item = share.next.fetch_add(1, std::memory_order_relaxed);
        if (item < share.end) todo.call(todo.body, item, worker);
      }
    }
  }

  void open_round() {
    state = (state / kRound + 1) * kRound + kOpen;
    workers_asleep.notify();
  }

  void close_round() {
    if (is_busy(state.fetch_and(~kOpen))) caller_asleep.wait([&] { return !is_busy(state); });
  }

  void serve(int worker) {
    ++started;
    for (std::uint64_t seen = 0;;) {
      std::uint64_t now = 0;
      workers_asleep.wait([&] { return is_open(now = state) && now / kRound != seen; });
      if (!state.compare_exchange_strong(now, now + 1)) continue;
      seen = now / kRound;
      if (stop) return;
      work(worker);
      now = --state;
      if (!is_open(now) && !is_busy(now)) caller_asleep.notify();
    }
  }
};

Parallel::Parallel(int threads) {
  constexpr int kMostThreads = 1 << 12;  // more than any machine has processors
  if (threads < 1 || threads > kMostThreads) {
    fail("Parallel", "threads", {"must be from 1 to ", kMostThreads, ", is ", threads});
  }
  if (threads == 1) return;
  try {
    pool_ = std::make_unique<Pool>(threads);
    for (int worker = 1; worker < threads; ++worker) {
      pool_->workers.emplace_back([pool = pool_.get(), worker] { pool->serve(worker); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads: the existing ones do the work.
  } catch (const std::bad_alloc&) {
    // The same where there is no memory for more threads.
  }
  if (pool_) threads_ = 1 + static_cast<int>(pool_->workers.size());
}

Parallel::~Parallel() {
  if (!pool_) return;
  pool_->stop = true;
  pool_->open_round();
  for (std::thread& worker : pool_->workers) worker.join();
}

bool Parallel::started() const noexcept { return !pool_ || pool_->started == threads_ - 1; }

void Parallel::run(Index count, Task task) {
  pool_->task = task;
  pool_->distribute_tasks(count);
  pool_->open_round();
  pool_->work(0);
  pool_->close_round();
}

}  // namespace tril
