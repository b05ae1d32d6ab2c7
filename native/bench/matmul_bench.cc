#include "matmul_bench.h"

#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/lessons/peak.h>
#include <tril/matmul/matmul.h>

#include <limits>
#include <memory>

namespace tril::bench {
namespace {

constexpr ProductSize square(Index n) { return {n, n, n}; }

constexpr ProductSize kSizes[] = {
    square(16),   square(24),   square(32),   square(48),     square(64),      square(96),
    square(128),  square(192),  square(256),  square(384),    square(512),     square(768),
    square(1024), square(1536), square(2048), {1, 768, 3072}, {16, 768, 3072}, {128, 512, 2048}};

// Above this many operations a scalar method takes seconds and teaches nothing new.
constexpr double kScalar = 2.0 * 512 * 512 * 512, kBlocked = 8 * kScalar;
constexpr double kAll = std::numeric_limits<double>::infinity();

double most_flops(MatmulMethod method) {
  switch (method) {
    case MatmulMethod::automatic:
    case MatmulMethod::tiled:
    case MatmulMethod::strassen:
    case MatmulMethod::eigen:
      return kAll;
    case MatmulMethod::blocked:
      return kBlocked;
    default:
      return kScalar;
  }
}

void register_method(const Named<MatmulMethod>& method) {
  // Kept between benchmarks, as a caller would keep them.
  const auto scratch = std::make_shared<Scratch>();
  const auto parallel = std::make_shared<Parallel>();
  register_products(
      std::string(method.name),
      [=](const ProductSize& size, const float* a, const float* b, float* out) {
        matmul({a, {size.rows, size.depth}}, {b, {size.depth, size.cols}}, {.method = method.value},
               {out, {size.rows, size.cols}}, *scratch, *parallel);
      },
      most_flops(method.value));
}

void register_peaks() {
  for (const Isa isa : available_isas()) {
    benchmark::RegisterBenchmark((std::string("peak/") + isa_name(isa)).c_str(),
                                 [isa](benchmark::State& state) {
                                   constexpr Index kRounds = 1 << 17;  // 0.2 ms or more
                                   double flops = 0;
                                   for (auto _ : state)
                                     benchmark::DoNotOptimize(flops = run_peak(kRounds, isa));
                                   count_flops(state, flops);
                                 });
  }
}

const bool kRegistered = [] {
  register_peaks();
  for (const Named<MatmulMethod>& method : kMatmulMethods) register_method(method);
  return true;
}();

}  // namespace

std::vector<std::string>& chosen_kernels() {
  static std::vector<std::string> lines = {std::string("Tril: ") + isa_name(best_isa())};
  return lines;
}

void register_products(const std::string& method, const Multiply& multiply, double most_flops) {
  for (const ProductSize& size : kSizes) {
    if (size.flops() > most_flops) continue;
    const std::string name = "matmul/" + method + "/" + std::to_string(size.rows) + "x" +
                             std::to_string(size.depth) + "x" + std::to_string(size.cols);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      Buffer<float, 2> a({size.rows, size.depth}), b({size.depth, size.cols}),
          out({size.rows, size.cols});
      Random random(1);
      fill_uniform(a.view(), random, -1, 1);
      fill_uniform(b.view(), random, -1, 1);
      measure(state, [&] { multiply(size, a.data(), b.data(), out.data()); });
      count_flops(state, size.flops());
    });
  }
}

}  // namespace tril::bench
