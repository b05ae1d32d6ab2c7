// The activations, forward and backward, on 1024 x 3072 numbers and one thread, next to a plain
// copy of the same size: elements a second.
#include <benchmark/benchmark.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/activations.h>

#include <algorithm>
#include <string>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

constexpr Index kRows = 1024, kCols = 3072;

struct Numbers {
  Buffer<float, 2> x{{kRows, kCols}}, y{{kRows, kCols}}, d_out{{kRows, kCols}};
  Buffer<float, 2> out{{kRows, kCols}}, other{{kRows, kCols}};

  Numbers() {
    Random random(1);
    for (Buffer<float, 2>* each : {&x, &y, &d_out}) fill_normal(each->view(), random);
  }
};

template <typename Call>
void register_call(const std::string& name, const Call& call) {
  benchmark::RegisterBenchmark(("activations/" + name).c_str(), [=](benchmark::State& state) {
    Numbers numbers;
    measure(state, [&] { call(numbers); });
    state.counters["elements/s"] = benchmark::Counter(
        static_cast<double>(kRows * kCols), benchmark::Counter::kIsIterationInvariantRate);
  });
}

const bool kRegistered = [] {
  register_call("copy", [](Numbers& n) { std::copy_n(n.x.data(), kRows * kCols, n.out.data()); });
  for (const auto& [name, value] : kActivations) {
    const Activation activation = value;  // Clang 14 captures no structured binding.
    register_call(std::string(name), [=](Numbers& n) { activate(activation, n.x, n.out); });
    register_call(std::string(name) + "_backward",
                  [=](Numbers& n) { activate_backward(activation, n.d_out, n.x, n.out); });
  }
  register_call("swiglu", [](Numbers& n) { gated_activation(Activation::silu, n.x, n.y, n.out); });
  register_call("swiglu_backward", [](Numbers& n) {
    gated_activation_backward(Activation::silu, n.d_out, n.x, n.y, n.out, n.other);
  });
  return true;
}();

}  // namespace
}  // namespace tril::bench
