// The backward passes of products and layers against PyTorch's autograd in float64
// (tests/golden/make_gradients.py, which draws the same inputs), within bounds that are carried
// along with the reference (bounded.h). Those of attention are in attention_backward_test.cc, of
// additive attention in additive_attention_backward_test.cc, and of blocks in
// block_gradients_golden_test.cc.
#include <gtest/gtest.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/embedding.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/mean_squared_error.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/softmax.h>
#include <tril/matmul/matmul_backward.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/golden_gradients.h"
#include "core/layer_gradient_reference.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::golden;
using testing::GoldenGradients;
using testing::Sum;
using testing::Table;
using testing::uniform;
using testing::Values;

template <int Rank>
Buffer<float, Rank> scaled(const Shape<Rank>& shape, Random& random, float scale) {
  Buffer<float, Rank> buffer = uniform<Rank>(shape, random);
  for (Index i = 0; i < buffer.view().count(); ++i) buffer.data()[i] *= scale;
  return buffer;
}

// Working memory and threads for a test.
struct Tools {
  Scratch scratch;
  Parallel parallel{2};
};

TEST(GoldenGradients, OfProducts) {
  Random random(500);
  Tools tools;
  Buffer<float, 4> a = uniform<4>({2, 1, 5, 7}, random), b = uniform<4>({1, 3, 7, 4}, random);
  const Buffer<float, 4> d_out = uniform<4>({2, 3, 5, 4}, random);
  for (const bool transposed : {false, true}) {
    if (transposed) {
      a = uniform<4>({2, 3, 7, 5}, random), b = uniform<4>({1, 3, 4, 7}, random);
    }
    const MatmulOptions options{
        .transpose_a = transposed, .transpose_b = transposed, .alpha = transposed ? 1.0f : 0.5f};
    Buffer<float, 4> d_a(a.shape()), d_b(b.shape());
    matmul_backward(d_out.view(), a.view(), b.view(), options, {d_a.view(), d_b.view()},
                    {tools.scratch, tools.parallel});
    std::vector<Sum<Bounded>> of_a(static_cast<std::size_t>(a.view().count())),
        of_b(static_cast<std::size_t>(b.view().count()));
    const auto place = [&](const Buffer<float, 4>& x, Index n, Index m, Index i, Index j) {
      const Shape<4>& shape = x.shape();
      if (transposed) std::swap(i, j);
      return static_cast<std::size_t>(
          (((shape[0] == 1 ? 0 : n) * shape[1] + (shape[1] == 1 ? 0 : m)) * shape[2] + i) *
              shape[3] +
          j);
    };
    for (Index n = 0; n < 2; ++n) {
      for (Index m = 0; m < 3; ++m) {
        for (Index i = 0; i < 5; ++i) {
          for (Index j = 0; j < 4; ++j) {
            const Bounded d = Bounded(options.alpha) * Bounded(d_out.view()[n][m][i][j]);
            for (Index k = 0; k < 7; ++k) {
              const std::size_t at_a = place(a, n, m, i, k), at_b = place(b, n, m, k, j);
              of_a[at_a].add(d * Bounded(b.data()[at_b]));
              of_b[at_b].add(d * Bounded(a.data()[at_a]));
            }
          }
        }
      }
    }
    const auto values = [](const std::vector<Sum<Bounded>>& sums) {
      Values<Bounded> all;
      for (const Sum<Bounded>& each : sums) all.push_back(each.value());
      return all;
    };
    GoldenGradients expected(transposed ? "matmul_transposed" : "matmul");
    expected.expect(values(of_a), d_a, "d_a");
    expected.expect(values(of_b), d_b, "d_b");
  }
}

TEST(GoldenGradients, OfALinearLayer) {
  Random random(510);
  Tools tools;
  const auto x = uniform<2>({9, 7}, random), weight = uniform<2>({5, 7}, random);
  uniform<1>({5}, random);  // its bias, on which no gradient depends
  const auto d_out = uniform<2>({9, 5}, random);
  Buffer<float, 2> d_x({9, 7}), d_weight({5, 7});
  Buffer<float, 1> d_bias({5});
  linear_backward(d_out, x, weight, {d_x, d_weight, d_bias}, {tools.scratch, tools.parallel});
  const auto d = linear_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                                  Table<Bounded>(weight.view()));
  GoldenGradients expected("linear");
  expected.expect(d.x.values, d_x, "d_x");
  expected.expect(d.weight.values, d_weight, "d_weight");
  expected.expect(d.bias.values, d_bias, "d_bias");
}

// d_x of softmax(x / t), or of its logarithm, along the rows.
Table<Bounded> softmax_gradient(const Table<Bounded>& d_out, const Table<Bounded>& x, double t,
                                bool logarithm) {
  Table<Bounded> d = x;
  for (Index n = 0; n < x.rows; ++n) {
    Sum<Bounded> powers, flow;
    Values<Bounded> weights;
    double largest = -INFINITY;
    for (Index c = 0; c < x.cols; ++c) largest = std::max(largest, x(n, c).value);
    for (Index c = 0; c < x.cols; ++c) {
      weights.push_back(exp((x(n, c) - Bounded(largest)) / Bounded(t)));
      powers.add(weights.back());
    }
    for (Index c = 0; c < x.cols; ++c) {
      Bounded& weight = weights[static_cast<std::size_t>(c)];
      if (logarithm) {  // e^(x - log of the sum): the output is rounded and exponentiated again
        const Bounded out = (x(n, c) - Bounded(largest)) / Bounded(t) - log(powers.value());
        weight = exp(out);
        flow.add(d_out(n, c));
      } else {
        weight = weight / powers.value();
        flow.add(d_out(n, c) * weight);
      }
    }
    for (Index c = 0; c < x.cols; ++c) {
      const Bounded& weight = weights[static_cast<std::size_t>(c)];
      d(n, c) = (logarithm ? d_out(n, c) - weight * flow.value()
                           : weight * (d_out(n, c) - flow.value())) /
                Bounded(t);
    }
  }
  return d;
}

Table<Bounded> transposed(const Table<Bounded>& x) {
  Table<Bounded> out(x.cols, x.rows);
  for (Index n = 0; n < x.rows; ++n) {
    for (Index c = 0; c < x.cols; ++c) out(c, n) = x(n, c);
  }
  return out;
}

TEST(GoldenGradients, OfSoftmax) {
  Random random(511);
  Tools tools;
  const auto x = scaled<2>({5, 9}, random, 4), d_out = uniform<2>({5, 9}, random);
  const Table<Bounded> at(x.view()), d(d_out.view());
  Buffer<float, 2> out({5, 9}), d_x({5, 9});
  const SoftmaxOptions rows{.temperature = 0.5}, columns{.axis = 0};
  softmax(x, rows, out, tools.parallel);
  softmax_backward(d_out, out, rows, d_x, tools.parallel);
  GoldenGradients("softmax").expect(softmax_gradient(d, at, 0.5, false).values, d_x, "d_x");
  softmax(x, columns, out, tools.parallel);
  softmax_backward(d_out, out, columns, d_x, tools.parallel);
  GoldenGradients("softmax_columns")
      .expect(transposed(softmax_gradient(transposed(d), transposed(at), 1, false)).values, d_x,
              "d_x");
  log_softmax(x, rows, out, tools.parallel);
  log_softmax_backward(d_out, out, rows, d_x, tools.parallel);
  GoldenGradients("log_softmax").expect(softmax_gradient(d, at, 0.5, true).values, d_x, "d_x");
}

TEST(GoldenGradients, OfNorms) {
  Random random(512);
  Tools tools;
  const auto x = uniform<2>({6, 9}, random);
  const auto weight = uniform<1>({9}, random), bias = uniform<1>({9}, random);
  const auto d_out = uniform<2>({6, 9}, random);
  const Table<Bounded> d(d_out.view()), at(x.view()), w(weight.view());
  Buffer<float, 2> out({6, 9}), d_x({6, 9});
  Buffer<float, 1> mean({6}), rstd({6}), d_weight({9}), d_bias({9});
  layer_norm(x, weight, bias, {}, out, tools.parallel, {mean, rstd});
  layer_norm_backward(d_out, x, weight, mean, rstd, {d_x, d_weight, d_bias},
                      {tools.scratch, tools.parallel});
  const auto of_layer = layer_norm_gradients(d, at, w, 1e-5);
  GoldenGradients layer("layer_norm");
  layer.expect(of_layer.x.values, d_x, "d_x");
  layer.expect(of_layer.weight.values, d_weight, "d_weight");
  layer.expect(of_layer.bias.values, d_bias, "d_bias");

  std::fill_n(d_weight.data(), 9, 0.0f);
  rms_norm(x, weight, {}, out, tools.parallel, rstd);
  rms_norm_backward(d_out, x, weight, rstd, {d_x, d_weight}, {tools.scratch, tools.parallel});
  Table<Bounded> of_x = at;
  std::vector<Sum<Bounded>> of_weight(9);
  for (Index n = 0; n < 6; ++n) {
    Sum<Bounded> squares, flow;
    for (Index c = 0; c < 9; ++c) squares.add(at(n, c) * at(n, c));
    const Bounded root = Bounded(1) / sqrt(squares.value() / Bounded(9) + Bounded(1e-5));
    for (Index c = 0; c < 9; ++c) flow.add(d(n, c) * w(0, c) * (at(n, c) * root));
    for (Index c = 0; c < 9; ++c) {
      const Bounded z = at(n, c) * root;
      of_x(n, c) = root * (d(n, c) * w(0, c) - z * (flow.value() / Bounded(9)));
      of_weight[static_cast<std::size_t>(c)].add(d(n, c) * z);
    }
  }
  Values<Bounded> weights;
  for (const Sum<Bounded>& each : of_weight) weights.push_back(each.value());
  GoldenGradients rms("rms_norm");
  rms.expect(of_x.values, d_x, "d_x");
  rms.expect(weights, d_weight, "d_weight");
}

TEST(GoldenGradients, OfActivations) {
  Random random(513);
  Parallel parallel(2);
  const auto x = scaled<2>({5, 13}, random, 4), up = uniform<2>({5, 13}, random);
  const auto d_out = uniform<2>({5, 13}, random);
  const Table<Bounded> d(d_out.view()), at(x.view()), by(up.view());
  for (const auto& [name, activation] : kActivations) {
    Buffer<float, 2> d_x({5, 13}), d_up({5, 13});
    activate_backward(activation, d_out, x, d_x, parallel);
    GoldenGradients(std::string(name))
        .expect(activation_gradient(activation, d, at).values, d_x, "d_x");
    gated_activation_backward(activation, d_out, x, up, d_x, d_up, parallel);
    Table<Bounded> through = d, of_up = activation_table(activation, at);
    for (std::size_t i = 0; i < d.values.size(); ++i) {
      through.values[i] = d.values[i] * by.values[i];
      of_up.values[i] = d.values[i] * of_up.values[i];
    }
    GoldenGradients gated(std::string(name) + "_gated");
    gated.expect(activation_gradient(activation, through, at).values, d_x, "d_gate");
    gated.expect(of_up.values, d_up, "d_up");
  }
}

TEST(GoldenGradients, OfAnEmbedding) {
  Random random(514);
  Parallel parallel(2);
  uniform<2>({6, 5}, random);  // the table, on which no gradient depends
  const auto d_out = uniform<2>({9, 5}, random);
  const std::vector<std::int32_t> ids = {3, 0, 3, 5, 1, 1, 3, 5, 2};
  Buffer<float, 2> d_table({6, 5});
  embedding_backward(d_out, {ids.data(), {9}}, d_table, parallel);
  Values<Bounded> expected;
  for (Index row = 0; row < 6; ++row) {
    for (Index c = 0; c < 5; ++c) {
      Sum<Bounded> sum;
      for (Index n = 0; n < 9; ++n) {
        if (ids[static_cast<std::size_t>(n)] == row) sum.add(Bounded(d_out.view()[n][c]));
      }
      expected.push_back(sum.value());
    }
  }
  GoldenGradients("embedding").expect(expected, d_table, "d_table");
}

TEST(GoldenGradients, OfRotaryPositions) {
  Random random(515);
  Parallel parallel(2);
  uniform<4>({2, 3, 7, 10}, random);  // x, on which no gradient depends
  const auto d_out = uniform<4>({2, 3, 7, 10}, random);
  Buffer<float, 2> cos({7, 4}), sin({7, 4});
  const std::int32_t positions[] = {0, 1, 2, 3, 4, 5, 6};
  rotary_angles({positions, {7}}, 10000, cos, sin);
  const auto for_batches = [](const Buffer<float, 2>& table) {
    return TensorView<const float, 3>(table.data(), {2, 7, 4}, {0, 4, 1});
  };
  for (const auto& [name, pairs] : kRotaryPairs) {
    Buffer<float, 4> d_x({2, 3, 7, 10});
    rotary_positions_backward(d_out, for_batches(cos), for_batches(sin), pairs, d_x, parallel);
    Table<Bounded> expected(d_out.view());
    for (Index n = 0; n < expected.rows; ++n) {
      for (Index i = 0; i < 4; ++i) {
        const bool halves = pairs == RotaryPairs::halves;
        Bounded& first = expected(n, halves ? i : 2 * i);
        Bounded& second = expected(n, halves ? 4 + i : 2 * i + 1);
        const Bounded a = first, b = second, c = cos.view()[n % 7][i], s = sin.view()[n % 7][i];
        first = c * a + s * b;
        second = c * b - s * a;
      }
    }
    GoldenGradients("rotary_" + std::string(name)).expect(expected.values, d_x, "d_x");
  }
}

TEST(GoldenGradients, OfFeedForwards) {
  Tools tools;
  const Index N = 11, C = 5, F = 9;
  for (const bool gated : {false, true}) {
    Random random(gated ? 521 : 520);
    const Index rows = gated ? 2 * F : F;
    const auto x = uniform<2>({N, C}, random), weight1 = uniform<2>({rows, C}, random);
    const auto bias1 = uniform<1>({rows}, random);
    const auto weight2 = uniform<2>({C, F}, random);
    const auto bias2 = uniform<1>({C}, random);
    const auto d_out = uniform<2>({N, C}, random);
    const FeedForwardWeights weights{{weight1, bias1}, {weight2, bias2}};
    const testing::FeedForwardTables<Bounded> tables{
        Table<Bounded>(weight1.view()), Table<Bounded>(bias1.view()),
        Table<Bounded>(weight2.view()), Table<Bounded>(bias2.view())};
    for (const auto& [name, activation] : kActivations) {
      if (gated && activation != Activation::silu) continue;
      Buffer<float, 2> out({N, C}), d_x({N, C}), d_weight1({rows, C}), d_weight2({C, F});
      Buffer<float, 1> d_bias1({rows}), d_bias2({C});
      Buffer<float, 1> memory;
      const FeedForwardTrace trace = saved_in(memory, [&](SavedMemory& place) {
        return (gated ? gated_feed_forward_saved : feed_forward_saved)(N, weights, place);
      });
      (gated ? gated_feed_forward : feed_forward)(x, weights, activation, out,
                                                  {tools.scratch, tools.parallel}, trace);
      (gated ? gated_feed_forward_backward : feed_forward_backward)(
          d_out, x, weights, activation, trace, {d_x, {{d_weight1, d_bias1}, {d_weight2, d_bias2}}},
          {tools.scratch, tools.parallel});
      const Table<Bounded> d(d_out.view()), at(x.view());
      const auto e = gated ? gated_feed_forward_gradients(d, at, tables, activation)
                           : feed_forward_gradients(d, at, tables, activation);
      GoldenGradients expected(gated ? "feed_forward_gated" : "feed_forward_" + std::string(name));
      expected.expect(e.x.values, d_x, "d_x");
      expected.expect(e.weights.weight1.values, d_weight1, "d_linear1.weight");
      expected.expect(e.weights.bias1.values, d_bias1, "d_linear1.bias");
      expected.expect(e.weights.weight2.values, d_weight2, "d_linear2.weight");
      expected.expect(e.weights.bias2.values, d_bias2, "d_linear2.bias");
    }
  }
}

TEST(GoldenGradients, OfLosses) {
  Random random(530);
  Tools tools;
  const auto logits = scaled<2>({9, 11}, random, 4);
  const std::vector<std::int32_t> targets = {3, 10, -100, 0, 7, 7, -100, 1, 5};
  const std::pair<const char*, CrossEntropyOptions> cases[] = {
      {"mean", {}},
      {"sum", {.reduction = Reduction::sum}},
      {"smoothed", {.label_smoothing = 0.125}}};
  const Table<Bounded> x(logits.view());
  for (const auto& [name, options] : cases) {
    Buffer<float, 2> d({9, 11});
    const CrossEntropyResult result =
        cross_entropy(logits, {targets.data(), {9}}, options, d, {tools.scratch, tools.parallel});
    const Bounded scale =
        options.reduction == Reduction::mean ? Bounded(1.0 / 7, 1e-8) : Bounded(1);
    const double s = options.label_smoothing;
    Values<Bounded> of_loss, expected;
    Sum<Bounded> loss;
    for (Index n = 0; n < 9; ++n) {
      const std::int32_t target = targets[static_cast<std::size_t>(n)];
      Sum<Bounded> powers, all;
      double largest = -INFINITY;
      for (Index c = 0; c < 11; ++c) largest = std::max(largest, x(n, c).value);
      for (Index c = 0; c < 11; ++c) powers.add(exp(x(n, c) - Bounded(largest)));
      for (Index c = 0; c < 11; ++c) {
        const Bounded share = exp(x(n, c) - Bounded(largest)) / powers.value();
        const Bounded wanted = Bounded(s / 11, 1e-9) + Bounded(c == target ? 1 - s : 0);
        expected.push_back(target < 0 ? Bounded(0) : scale * (share - wanted));
        all.add(x(n, c));
      }
      if (target < 0) continue;
      loss.add(log(powers.value()) + Bounded(largest) - Bounded(1 - s) * x(n, target) -
               Bounded(s / 11, 1e-9) * all.value());
    }
    of_loss.push_back(scale * loss.value());
    const Buffer<float, 1> computed = [&] {
      Buffer<float, 1> one({1});
      one.data()[0] = static_cast<float>(result.loss);
      of_loss[0].error += testing::kRounding * std::fabs(result.loss);
      return one;
    }();
    GoldenGradients golden_case("cross_entropy_" + std::string(name));
    golden_case.expect(of_loss, computed, "loss");
    golden_case.expect(expected, d, "d_logits");
    EXPECT_EQ(result.counted, 7);
  }
  const auto a = uniform<2>({5, 7}, random), b = uniform<2>({5, 7}, random);
  Buffer<float, 2> d({5, 7});
  const double loss = mean_squared_error(a, b, Reduction::mean, d, {tools.scratch, tools.parallel});
  GoldenGradients squared("mean_squared_error");
  const double expected_loss = squared.take(1)[0];
  EXPECT_NEAR(loss, expected_loss, (35 + 4) * testing::kRounding * expected_loss);
  Values<Bounded> expected;
  for (Index i = 0; i < 35; ++i) {
    expected.push_back((Bounded(a.data()[i]) - Bounded(b.data()[i])) * Bounded(2.0 / 35, 4e-9));
  }
  squared.expect(expected, d, "d_x");
}

}  // namespace
}  // namespace tril
