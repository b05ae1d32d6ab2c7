// Attention by every method, causal and not, with 8 heads of 64, forward and backward; causal
// linear attention; softmax. Operations are counted as a causal mask leaves them: half of all.
#include <benchmark/benchmark.h>
#include <tril/attention/attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/attention/linear_attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/softmax.h>

#include <string>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

constexpr Index kHeads = 8, kWidth = 64;

struct Inputs {
  Buffer<float, 4> query, key, value, output;

  explicit Inputs(Index queries, Index keys)
      : query({1, kHeads, queries, kWidth}),
        key({1, kHeads, keys, kWidth}),
        value({1, kHeads, keys, kWidth}),
        output({1, kHeads, queries, kWidth}) {
    Random random(1);
    for (Buffer<float, 4>* each : {&query, &key, &value}) fill_normal(each->view(), random);
  }
};

void register_attention(const std::string& name, Index queries, Index keys,
                        const AttentionOptions& options, int threads = 1) {
  register_on(threads, name, [=](benchmark::State& state) {
    Inputs in(queries, keys);
    Scratch scratch;
    Parallel parallel(threads);
    measure(state, [&] {
      attention(in.query, in.key, in.value, options, in.output, {scratch, parallel});
    });
    const double pairs = static_cast<double>(queries * keys) * (options.causal ? 0.5 : 1);
    count_flops(state, 4.0 * kHeads * kWidth * pairs);
    state.counters["scratch"] = static_cast<double>(scratch.peak());
  });
}

// The backward pass with all three gradients: five products instead of two.
void register_attention_backward(Index tokens, int threads) {
  const std::string threaded = threads > 1 ? "2_threads/" : "";
  register_on(threads, "causal_attention/backward/" + threaded + "T" + std::to_string(tokens),
              [=](benchmark::State& state) {
                Inputs in(tokens, tokens), d(tokens, tokens);
                Buffer<float, 3> log_sum_exp({1, kHeads, tokens});
                Scratch scratch;
                Parallel parallel(threads);
                const AttentionOptions options{.causal = true};
                attention(in.query, in.key, in.value, options, in.output, {scratch, parallel},
                          {.log_sum_exp = log_sum_exp});
                Buffer<float, 4> d_out(in.output.shape());
                Random random(2);
                fill_normal(d_out.view(), random);
                measure(state, [&] {
                  attention_backward(d_out, in.query, in.key, in.value, in.output, log_sum_exp,
                                     options, {d.query, d.key, d.value}, {scratch, parallel});
                });
                const double pairs = static_cast<double>(tokens * tokens) * 0.5;
                count_flops(state, 10.0 * kHeads * kWidth * pairs);
                state.counters["scratch"] = static_cast<double>(scratch.peak());
              });
}

const bool kRegistered = [] {
  for (const Index tokens : {128, 512, 1024, 4096}) {
    const std::string size = "/T" + std::to_string(tokens);
    for (const auto& [name, method] : kAttentionMethods) {
      register_attention("attention/" + std::string(name) + size, tokens, tokens,
                         {.method = method});
      register_attention("causal_attention/" + std::string(name) + size, tokens, tokens,
                         {.causal = true, .method = method});
    }
    register_attention("causal_attention/2_threads" + size, tokens, tokens, {.causal = true}, 2);
    register_attention_backward(tokens, 1);
    register_attention_backward(tokens, 2);
    benchmark::RegisterBenchmark(
        ("causal_attention/linear" + size).c_str(), [=](benchmark::State& state) {
          Inputs in(tokens, tokens);
          measure(state, [&] {
            linear_attention(in.query, in.key, in.value, {.causal = true}, in.output);
          });
          count_flops(state, 4.0 * kHeads * kWidth * kWidth * static_cast<double>(tokens));
        });
  }
  benchmark::RegisterBenchmark("softmax/1024x1024", [](benchmark::State& state) {
    Buffer<float, 2> x({1024, 1024}), out({1024, 1024});
    Random random(1);
    fill_normal(x.view(), random);
    measure(state, [&] { softmax(x, {}, out); });
  });
  return true;
}();

}  // namespace
}  // namespace tril::bench
