// The encoder block of width 512, 8 heads and 2048 hidden units, its weights packed at every call
// or packed once, then on two threads; forward and backward passes; layer normalisation.
#include <benchmark/benchmark.h>
#include <tril/block/transformer_block.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/prepared_weights.h>

#include <cmath>
#include <deque>
#include <string>
#include <utility>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

constexpr Index kWidth = 512, kHeads = 8, kHidden = 2048;

// Weights on the scale of PyTorch's initial ones: uniform, 1 / sqrt(input width).
class Weights {
 public:
  TransformerBlockWeights block() {
    TransformerBlockWeights weights;
    weights.self_attn.in_proj_weight = matrix(3 * kWidth, kWidth);
    weights.self_attn.in_proj_bias = vector(3 * kWidth);
    weights.self_attn.out_proj_weight = matrix(kWidth, kWidth);
    weights.self_attn.out_proj_bias = vector(kWidth);
    weights.linear1 = {matrix(kHidden, kWidth), vector(kHidden)};
    weights.linear2 = {matrix(kWidth, kHidden), vector(kWidth)};
    weights.norm1 = {vector(kWidth), vector(kWidth)};
    weights.norm2 = {vector(kWidth), vector(kWidth)};
    return weights;
  }

 private:
  MatrixView<const float> matrix(Index out, Index in) {
    Buffer<float, 2>& drawn = matrices_.emplace_back(Shape<2>{out, in});
    const float bound = 1 / std::sqrt(static_cast<float>(in));
    fill_uniform(drawn.view(), random_, -bound, bound);
    return drawn;
  }
  VectorView<const float> vector(Index size) {
    Buffer<float, 1>& drawn = vectors_.emplace_back(Shape<1>{size});
    fill_uniform(drawn.view(), random_, -0.05f, 0.05f);
    return drawn;
  }

  Random random_{1};
  std::deque<Buffer<float, 2>> matrices_;
  std::deque<Buffer<float, 1>> vectors_;
};

// Operations of products and attention, two for each multiplication.
double block_flops(Index batch, Index tokens) {
  const auto rows = static_cast<double>(batch * tokens);
  constexpr double kPerRow = 2.0 * kWidth * (4 * kWidth + 2 * kHidden);
  return rows * (kPerRow + 4.0 * kWidth * static_cast<double>(tokens));
}

void register_block(Index batch, Index tokens, bool prepares, int threads = 1) {
  const std::string size =
      (batch > 1 ? std::to_string(batch) + "x" : "") + "T" + std::to_string(tokens);
  const char* const kind = threads > 1 ? "2_threads/" : prepares ? "prepared/" : "given/";
  register_on(threads, std::string("block/") + kind + size, [=](benchmark::State& state) {
    Weights source;
    TransformerBlockWeights weights = source.block();
    Scratch scratch;
    Parallel parallel(threads);
    PreparedWeights prepared;
    if (prepares) weights = prepared.prepare(weights, parallel);
    Buffer<float, 3> x({batch, tokens, kWidth}), out(x.shape());
    Random random(2);
    fill_normal(x.view(), random);
    measure(state, [&] {
      transformer_block(x, weights, {.heads = kHeads}, out, {scratch, parallel});
    });
    count_flops(state, block_flops(batch, tokens));
  });
}

// A forward pass that saves what the backward pass needs, and the backward pass with all gradients:
// three times the operations.
void register_block_backward(Index batch, Index tokens, int threads) {
  const std::string size =
      (batch > 1 ? std::to_string(batch) + "x" : "") + "T" + std::to_string(tokens);
  const char* const kind = threads > 1 ? "block/and_back/2_threads/" : "block/and_back/";
  register_on(threads, kind + size, [=](benchmark::State& state) {
    Weights source;
    const TransformerBlockWeights weights = source.block();
    const TransformerBlockOptions options{.heads = kHeads};
    Scratch scratch;
    Parallel parallel(threads);
    Buffer<float, 3> x({batch, tokens, kWidth}), out(x.shape()), d_out(x.shape()), d_x(x.shape());
    Random random(2);
    fill_normal(x.view(), random);
    fill_normal(d_out.view(), random);
    Buffer<float, 1> memory, d_memory({parameter_count(weights)});
    const TransformerBlockTrace saved = saved_in(memory, [&](SavedMemory& place) {
      return transformer_block_saved(x.shape(), weights, options, place);
    });
    const TransformerBlockGradients gradients{
        .d_x = d_x,
        .weights = parameters_in<BasicTransformerBlockWeights<float>>(d_memory.data(), weights)};
    measure(state, [&] {
      transformer_block(x, weights, options, out, {scratch, parallel}, saved);
      transformer_block_backward(d_out, x, weights, options, saved, gradients, {scratch, parallel});
    });
    count_flops(state, 3 * block_flops(batch, tokens));
  });
}

const bool kRegistered = [] {
  for (const auto& [batch, tokens] : {std::pair<Index, Index>{1, 128}, {1, 512}, {8, 128}}) {
    register_block(batch, tokens, false);
    register_block(batch, tokens, true);
    register_block(batch, tokens, true, 2);
    register_block_backward(batch, tokens, 1);
    register_block_backward(batch, tokens, 2);
  }
  benchmark::RegisterBenchmark("layer_norm/1024x768", [](benchmark::State& state) {
    Buffer<float, 2> x({1024, 768}), out(x.shape());
    Buffer<float, 1> weight({768}), bias({768});
    Random random(1);
    fill_normal(x.view(), random);
    fill_normal(weight.view(), random);
    fill_normal(bias.view(), random);
    measure(state, [&] { layer_norm(x, weight, bias, {}, out); });
  });
  return true;
}();

}  // namespace
}  // namespace tril::bench
