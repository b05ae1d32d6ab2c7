// The precision of attention and of the block against that of plain loops in float: both are
// compared with the same loops in double, over many draws of weights and inputs.
//
// Plain loops round once per multiplication and once per addition. The core adds the same terms, in
// order or in several sums at a time, and rounds no more often; so its mean error over the draws is
// no larger than theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::kNormOrders;
using testing::WeightSource;

constexpr Index kTokens = 100, kWidth = 64;
constexpr int kDraws = 24;

// A matrix [rows, cols].
template <typename Real>
struct Rows {
  Rows(Index row_count, Index col_count) : rows(row_count), cols(col_count) {
    values.resize(static_cast<std::size_t>(rows * cols));
  }
  Real& at(Index row, Index col) { return values[static_cast<std::size_t>(row * cols + col)]; }
  Real at(Index row, Index col) const { return values[static_cast<std::size_t>(row * cols + col)]; }

  Index rows, cols;
  std::vector<Real> values;
};

// x W^T + b
template <typename Real>
Rows<Real> linear(const Rows<Real>& x, const Weight& of_floats, VectorView<const float> bias) {
  const MatrixView<const float> weight = of_floats.floats();
  Rows<Real> out(x.rows, weight.size(0));
  for (Index i = 0; i < out.rows; ++i) {
    for (Index j = 0; j < out.cols; ++j) {
      Real sum = 0;
      for (Index k = 0; k < x.cols; ++k) sum += x.at(i, k) * static_cast<Real>(weight[j][k]);
      out.at(i, j) = bias ? sum + static_cast<Real>(bias[j]) : sum;
    }
  }
  return out;
}

// Causal self-attention of all heads, projected; `average` [T, T] receives the mean of the weights
// over heads.
template <typename Real>
Rows<Real> self_attention(const Rows<Real>& x, const MultiHeadWeights& weights, Index heads,
                          Rows<Real>* average = nullptr) {
  const Index width = x.cols / heads;
  const Rows<Real> projected = linear(x, weights.in_proj_weight, weights.in_proj_bias);
  const Real scale = 1 / std::sqrt(static_cast<Real>(width));
  Rows<Real> out(x.rows, x.cols);
  std::vector<Real> weight(static_cast<std::size_t>(x.rows));
  for (Index h = 0; h < heads; ++h) {
    const Index q = h * width, k = q + x.cols, v = k + x.cols;
    for (Index t = 0; t < x.rows; ++t) {
      const std::span<Real> seen(weight.data(), static_cast<std::size_t>(t + 1));
      for (Index s = 0; s <= t; ++s) {
        Real dot = 0;
        for (Index d = 0; d < width; ++d) dot += projected.at(t, q + d) * projected.at(s, k + d);
        seen[static_cast<std::size_t>(s)] = scale * dot;
      }
      const Real largest = *std::ranges::max_element(seen);
      Real sum = 0;
      for (Real& each : seen) sum += each = std::exp(each - largest);
      for (Real& each : seen) each /= sum;
      for (Index s = 0; average && s <= t; ++s) {
        average->at(t, s) += seen[static_cast<std::size_t>(s)] / static_cast<Real>(heads);
      }
      for (Index d = 0; d < width; ++d) {
        for (Index s = 0; s <= t; ++s) {
          out.at(t, q + d) += seen[static_cast<std::size_t>(s)] * projected.at(s, v + d);
        }
      }
    }
  }
  return linear(out, weights.out_proj_weight, weights.out_proj_bias);
}

template <typename Real>
Rows<Real> layer_norm(const Rows<Real>& x, const NormWeights& weights) {
  Rows<Real> out = x;
  for (Index t = 0; t < x.rows; ++t) {
    Real mean = 0, variance = 0;
    for (Index c = 0; c < x.cols; ++c) mean += x.at(t, c);
    mean /= static_cast<Real>(x.cols);
    for (Index c = 0; c < x.cols; ++c) {
      const Real distance = x.at(t, c) - mean;
      variance += distance * distance;
    }
    const Real inverse = 1 / std::sqrt(variance / static_cast<Real>(x.cols) + Real(1e-5));
    for (Index c = 0; c < x.cols; ++c) {
      Real& each = out.at(t, c);
      each = (each - mean) * inverse;
      if (weights.weight) each *= static_cast<Real>(weights.weight[c]);
      if (weights.bias) each += static_cast<Real>(weights.bias[c]);
    }
  }
  return out;
}

template <typename Real>
Rows<Real> add(Rows<Real> a, const Rows<Real>& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i];
  return a;
}

// The block with ReLU.
template <typename Real>
Rows<Real> block(const Rows<Real>& x, const TransformerBlockWeights& weights, Index heads,
                 NormOrder order) {
  const bool before = order == NormOrder::pre;
  const auto inner = [&](const Rows<Real>& rows) {
    Rows<Real> hidden = linear(rows, weights.linear1.weight, weights.linear1.bias);
    for (Real& each : hidden.values) each = std::max(each, Real(0));
    return linear(hidden, weights.linear2.weight, weights.linear2.bias);
  };
  Rows<Real> first =
      add(x, self_attention(before ? layer_norm(x, weights.norm1) : x, weights.self_attn, heads));
  if (!before) first = layer_norm(first, weights.norm1);
  Rows<Real> second = add(first, inner(before ? layer_norm(first, weights.norm2) : first));
  return before ? second : layer_norm(second, weights.norm2);
}

template <typename Real>
Rows<Real> copy(const Buffer<float, 3>& x) {
  Rows<Real> rows(kTokens, kWidth);
  std::copy_n(x.data(), kTokens * kWidth, rows.values.data());
  return rows;
}

double squared_distance(const Rows<double>& exact, const float* actual) {
  double sum = 0;
  for (const double each : exact.values) {
    const double difference = static_cast<double>(*actual++) - each;
    sum += difference * difference;
  }
  return sum;
}

// Squared errors of the core and of the plain loops, for each draw.
class Errors {
 public:
  void add(const Rows<double>& exact, const Buffer<float, 3>& core, const Rows<float>& plain) {
    core_.push_back(squared_distance(exact, core.data()));
    plain_.push_back(squared_distance(exact, plain.values.data()));
  }

  void record(const std::string& name) const {
    ::testing::Test::RecordProperty("core_" + name, std::to_string(1e6 * std::sqrt(mean(core_))));
    ::testing::Test::RecordProperty("plain_" + name, std::to_string(1e6 * std::sqrt(mean(plain_))));
  }

  static double mean(const std::vector<double>& x) {
    double sum = 0;
    for (const double each : x) sum += each;
    return sum / static_cast<double>(x.size());
  }
  double core() const { return mean(core_); }
  double plain() const { return mean(plain_); }

 private:
  std::vector<double> core_, plain_;
};

Buffer<float, 3> input(bool even, Random& random) {
  Buffer<float, 3> x({1, kTokens, kWidth});
  if (even) {
    fill_uniform(x.view(), random, -1.0f, 1.0f);
  } else {
    fill_normal(x.view(), random);
  }
  return x;
}

TEST(Precision, OfMultiHeadAttention) {
  for (const bool even : {true, false}) {
    for (const Index heads : {1, 4}) {
      Errors errors, weight_errors;
      for (int draw = 0; draw < kDraws; ++draw) {
        Random random(static_cast<std::uint64_t>(draw));
        WeightSource source(random, draw % 2 == 0);
        const MultiHeadWeights weights = source.attention(kWidth);
        const Buffer<float, 3> x = input(even, random);
        Buffer<float, 3> core(x.shape()), core_average({1, kTokens, kTokens});
        multi_head_attention(x, weights, {.heads = heads, .attention = {.causal = true}}, core, {},
                             {.average_weights = core_average});
        Rows<double> exact_average(kTokens, kTokens);
        Rows<float> plain_average(kTokens, kTokens);
        errors.add(self_attention(copy<double>(x), weights, heads, &exact_average), core,
                   self_attention(copy<float>(x), weights, heads, &plain_average));
        weight_errors.add(exact_average, core_average, plain_average);
      }
      const std::string name = (even ? "even_h" : "normal_h") + std::to_string(heads);
      errors.record(name);
      weight_errors.record("weights_" + name);
      EXPECT_LE(errors.core(), errors.plain());
      EXPECT_LE(weight_errors.core(), weight_errors.plain());
    }
  }
}

TEST(Precision, OfTheBlock) {
  for (const NormOrder order : kNormOrders) {
    for (const bool even : {true, false}) {
      Errors errors;
      for (int draw = 0; draw < kDraws; ++draw) {
        Random random(static_cast<std::uint64_t>(draw));
        WeightSource source(random, draw % 2 == 0);
        const TransformerBlockWeights weights = source.block(kWidth, 2 * kWidth);
        const Buffer<float, 3> x = input(even, random);
        Buffer<float, 3> core(x.shape());
        transformer_block(x, weights, {.heads = 4, .norm = order, .attention = {.causal = true}},
                          core);
        errors.add(block(copy<double>(x), weights, 4, order), core,
                   block(copy<float>(x), weights, 4, order));
      }
      errors.record(std::string(order == NormOrder::pre ? "pre" : "post") +
                    (even ? "_even" : "_normal"));
      EXPECT_LE(errors.core(), errors.plain());
    }
  }
}

}  // namespace
}  // namespace tril
