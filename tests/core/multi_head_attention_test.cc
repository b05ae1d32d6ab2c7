// Multi-head attention against torch.nn.MultiheadAttention in float64, its trace against itself,
// and what it rejects.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>

#include <cmath>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;

// Weights as make_attention.py's multi_head draws them: PyTorch's own distribution.
struct Module {
  Buffer<float, 2> in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, out_proj_weight;
  Buffer<float, 1> in_proj_bias, out_proj_bias;

  // Keys and values as wide as x if kdim is 0.
  Module(Random& random, Index width, bool biased, Index kdim = 0, Index vdim = 0) {
    if (kdim == 0) {
      in_proj_weight = weight(random, 3 * width, width);
    } else {
      q_proj_weight = weight(random, width, width);
      k_proj_weight = weight(random, width, kdim);
      v_proj_weight = weight(random, width, vdim);
    }
    if (biased) in_proj_bias = draw<1>({3 * width}, 0.1, random);
    out_proj_weight = draw<2>({width, width}, std::pow(static_cast<double>(width), -0.5), random);
    if (biased) out_proj_bias = draw<1>({width}, 0.1, random);
  }

  MultiHeadWeights weights() const {
    return {in_proj_weight, q_proj_weight,   k_proj_weight, v_proj_weight,
            in_proj_bias,   out_proj_weight, out_proj_bias};
  }

 private:
  template <int Rank>
  static Buffer<float, Rank> draw(const Shape<Rank>& shape, double bound, Random& random) {
    Buffer<float, Rank> buffer = testing::uniform<Rank>(shape, random);
    for (Index i = 0; i < buffer.view().count(); ++i) buffer.data()[i] *= static_cast<float>(bound);
    return buffer;
  }
  static Buffer<float, 2> weight(Random& random, Index out, Index in) {
    return draw<2>({out, in}, std::sqrt(6.0 / static_cast<double>(in + out)), random);
  }
};

Buffer<float, 3> normal(const Shape<3>& shape, Random& random) {
  Buffer<float, 3> buffer(shape);
  fill_normal(buffer.view(), random);
  return buffer;
}

// The Frobenius norm of the difference of the first `count` elements.
double distance(const float* a, const float* b, Index count) {
  double squares = 0;
  for (Index i = 0; i < count; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

struct Norms {
  double output, weights;
};

// Runs the classic module, d = 64, T = 100, causal, no biases, on x; the Frobenius norms of the
// differences from what golden files hold: output [B, T, C], and the averaged weights, of which the
// files have [B, 5050], for each query those up to its own key. The others must be exactly 0.
Norms classic(const Module& module, Index heads, TensorView<const float, 3> x,
              const Buffer<float, 3>& output, const Buffer<float, 2>& average) {
  const Index batches = x.size(0), tokens = x.size(1), seen = tokens * (tokens + 1) / 2;
  Scratch scratch;
  Parallel parallel;
  Buffer<float, 3> actual(x.shape()), weights({batches, tokens, tokens});
  multi_head_attention(x, module.weights(), {.heads = heads, .attention = {.causal = true}}, actual,
                       scratch, parallel, {.average_weights = weights});
  Buffer<float, 2> lower({batches, seen});
  for (Index b = 0; b < batches; ++b) {
    float* to = lower.view()[b].data();
    for (Index t = 0; t < tokens; ++t) {
      const VectorView<float> row = weights.view()[b][t];
      to = std::copy_n(row.data(), t + 1, to);
      for (Index s = t + 1; s < tokens; ++s) EXPECT_EQ(row[s], 0.0f);
    }
  }
  return {distance(output.data(), actual.data(), actual.view().count()),
          distance(average.data(), lower.data(), lower.view().count())};
}

void record(const std::string& name, const Norms& norms) {
  ::testing::Test::RecordProperty("output_norm_" + name,
                                  std::to_string(norms.output * 1e6) + "e-6");
  ::testing::Test::RecordProperty("weights_norm_" + name,
                                  std::to_string(norms.weights * 1e6) + "e-6");
}

TEST(MultiHeadAttention, PassesTheClassicCheck) {
  for (const Index heads : {1, 4}) {
    Random random(7);
    const Module module(random, 64, false);
    const Buffer<float, 3> x = testing::uniform<3>({10, 100, 64}, random);
    const std::string suffix = "_h" + std::to_string(heads);
    const Buffer<float, 3> output = golden<3>("multi_head/output" + suffix);
    const Buffer<float, 2> average = golden<2>("multi_head/average" + suffix);
    for (const Index batches : {1, 10}) {
      const Norms norms = classic(module, heads, {x.data(), {batches, 100, 64}}, output, average);
      record((batches == 1 ? "b1" : "b10") + suffix, norms);
      const bool smallest = batches == 1 && heads == 1;
      EXPECT_LE(norms.output, smallest ? 2e-6 : 6e-6) << batches << suffix;
      EXPECT_LE(norms.weights, smallest ? 2e-7 : 6e-7) << batches << suffix;
    }
  }
}

// On normal inputs, whose scores spread more, float32 itself allows no such limits: PyTorch's own
// float32 result is then the measure. Both make errors of the same law; a quarter more is allowed
// for sums in another order and for targets without fused multiply-add.
TEST(MultiHeadAttention, IsAsExactAsPyTorchInFloat32) {
  for (const Index heads : {1, 4}) {
    Random random(7);
    const Module module(random, 64, false);
    testing::uniform<3>({10, 100, 64}, random);
    const Buffer<float, 3> x = normal({1, 100, 64}, random);
    const std::string suffix = "_h" + std::to_string(heads);
    const Norms norms = classic(module, heads, x, golden<3>("multi_head/normal/output" + suffix),
                                golden<2>("multi_head/normal/average" + suffix));
    record("normal" + suffix, norms);
    const Buffer<float, 1> errors = golden<1>("multi_head/normal/float32_errors" + suffix);
    EXPECT_LE(norms.output, 1.25 * static_cast<double>(errors.data()[0]));
    EXPECT_LE(norms.weights, 1.25 * static_cast<double>(errors.data()[1]));
  }
}

}  // namespace
}  // namespace tril
