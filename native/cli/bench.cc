// tril bench: the speed of this machine's core as a share of its peak in the same run. The
// measurements take turns, round after round, so that other load on the machine affects all of them
// alike.
#include <tril/attention/attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/isa.h>
#include <tril/foundation/random.h>
#include <tril/lessons/peak.h>
#include <tril/matmul/matmul.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "number_text.h"
#include "program.h"
#include "progress.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::vector<Index> sizes = {64, 256, 1024}, tokens = {128, 1024};
  int rounds = 9;
};

// A task to be timed: run() does `flops` operations.
struct Task {
  std::string name;
  double flops;
  std::function<void()> run;
  std::vector<double> rates = {};  // in GFLOP/s, one per round
};

double rate_of(const Task& task) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShortest{20};
  const Clock::time_point begin = Clock::now();
  Index runs = 0;
  do {
    task.run();
    ++runs;
  } while (Clock::now() - begin < kShortest);
  const std::chrono::duration<double> time = Clock::now() - begin;
  return static_cast<double>(runs) * task.flops / time.count() / 1e9;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Task peak_task() {
  constexpr Index kRounds = 1 << 17;  // 0.2 ms or more
  return {"peak of one thread", run_peak(kRounds), [] { run_peak(kRounds); }};
}

Task matmul_task(Index n, Parallel& parallel) {
  struct Data {
    Buffer<float, 2> a, b, out;
    Scratch scratch;
    explicit Data(Index size) : a({size, size}), b({size, size}), out({size, size}) {}
  };
  const auto data = std::make_shared<Data>(n);
  Random random(1);
  fill_uniform(data->a.view(), random, -1, 1);
  fill_uniform(data->b.view(), random, -1, 1);
  const auto size = static_cast<double>(n);
  return {"matmul " + std::to_string(n), 2 * size * size * size, [data, &parallel] {
            matmul(data->a, data->b, {}, data->out, {data->scratch, parallel});
          }};
}

// 8 heads of 64, causal: half of all pairs of queries and keys count, 4 * 64 operations each.
Task attention_task(Index tokens, Parallel& parallel) {
  constexpr Index kHeads = 8, kWidth = 64;
  struct Data {
    Buffer<float, 4> q, k, v, out;
    Scratch scratch;
    explicit Data(const Shape<4>& shape) : q(shape), k(shape), v(shape), out(shape) {}
  };
  const auto data = std::make_shared<Data>(Shape<4>{1, kHeads, tokens, kWidth});
  Random random(1);
  for (Buffer<float, 4>* each : {&data->q, &data->k, &data->v}) fill_normal(each->view(), random);
  const double pairs = static_cast<double>(tokens) * static_cast<double>(tokens) / 2;
  return {"causal attention " + std::to_string(tokens), 4.0 * kHeads * kWidth * pairs,
          [data, &parallel] {
            attention(data->q, data->k, data->v, {.causal = true}, data->out,
                      {data->scratch, parallel});
          }};
}

ExitCode run(const Program& program, const Arguments& arguments) {
  Parallel parallel(program.threads > 0 ? program.threads : 1);
  std::vector<Task> tasks = {peak_task()};
  for (const Index size : arguments.sizes) tasks.push_back(matmul_task(size, parallel));
  for (const Index tokens : arguments.tokens) tasks.push_back(attention_task(tokens, parallel));
  {
    Progress progress(static_cast<std::size_t>(arguments.rounds + 1) * tasks.size());
    for (int round = 0; round <= arguments.rounds; ++round) {
      for (Task& task : tasks) {
        progress.next(task.name);
        const double rate = rate_of(task);
        if (round > 0) task.rates.push_back(rate);  // round 0 is for caches and memory
      }
    }
  }
  const auto number = [](double value) { return fixed_text(value, 1); };
  std::string text = std::string(isa_name(best_isa())) + ", " + std::to_string(parallel.threads()) +
                     " thread" + (parallel.threads() > 1 ? "s" : "") + ", median of " +
                     std::to_string(arguments.rounds) + " rounds (smallest to largest)\n";
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Task& task : tasks) {
    std::vector<double> shares;
    for (std::size_t n = 0; n < task.rates.size(); ++n) {
      shares.push_back(task.rates[n] / tasks[0].rates[n]);
    }
    const auto [least, most] = std::ranges::minmax(task.rates);
    const double rate = median(task.rates), share = median(shares);
    text += left_aligned(task.name, 24) + right_aligned(number(rate), 8) + " GFLOP/s (" +
            number(least) + " to " + number(most) + "), " + number(100 * share) +
            " % of the peak\n";
    results.push_back({{"name", task.name},
                       {"gflops", rate},
                       {"smallest", least},
                       {"largest", most},
                       {"share_of_peak", share}});
  }
  program.print({{"isa", isa_name(best_isa())},
                 {"threads", parallel.threads()},
                 {"rounds", arguments.rounds},
                 {"results", results}},
                text);
  return kDone;
}

}  // namespace

void add_bench(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      program.add("bench", "Speed of products and attention on this machine, beside its peak",
                  "  tril bench\n"
                  "  tril bench --sizes 512 --tokens 256,4096 --threads 4 --rounds 21",
                  [&program, arguments] { return run(program, *arguments); });
  command.add_option("--sizes", arguments->sizes, "Sizes n of products n x n x n (64,256,1024)")
      ->delimiter(',')
      ->check(in_range(1, 8192));
  command
      .add_option("--tokens", arguments->tokens,
                  "Tokens of causal attention, 8 heads of 64 (128,1024)")
      ->delimiter(',')
      ->check(in_range(1, 65536));
  command.add_option("--rounds", arguments->rounds, "How often each is measured (9)")
      ->check(in_range(1, 1000));
  command.add_option("--threads", program.threads, "Threads (default: 1, like the peak's)")
      ->check(in_range(1, 1024));
}

}  // namespace tril::cli
