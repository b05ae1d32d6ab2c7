// The gradients of feed_forward: its reference against the complex step through the definition, and
// then the floats against the reference, within the bounds that it computes (bounded.h).
#include <gtest/gtest.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/feed_forward.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/backward_case.h"
#include "core/compare.h"
#include "core/golden.h"
#include "core/layer_gradient_reference.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::expect_bounded;
using testing::FeedForwardReferenceGradients;
using testing::FeedForwardTables;
using testing::Table;
using testing::uniform;
using testing::Values;

// A feed-forward, its input and the gradient of its output, drawn from a seed, and all outputs of a
// backward pass.
struct Case {
  Activation activation;
  Buffer<float, 2> x, d_out, weight1, weight2, out, d_x, d_weight1, d_weight2;
  Buffer<float, 1> bias1, bias2, d_bias1, d_bias2, memory;
  FeedForwardWeights weights;
  FeedForwardTrace trace;
  FeedForwardGradients gradients;
  Scratch scratch;

  Case(Index rows, Index width, Index inner, Activation kind, bool biased = true, int seed = 140)
      : activation(kind) {
    Random random(static_cast<std::uint64_t>(seed));
    x = uniform<2>({rows, width}, random), d_out = uniform<2>({rows, width}, random);
    weight1 = uniform<2>({inner, width}, random), weight2 = uniform<2>({width, inner}, random);
    bias1 = uniform<1>({inner}, random), bias2 = uniform<1>({width}, random);
    out = Buffer<float, 2>({rows, width}), d_x = Buffer<float, 2>({rows, width});
    d_weight1 = Buffer<float, 2>({inner, width}), d_weight2 = Buffer<float, 2>({width, inner});
    d_bias1 = Buffer<float, 1>({inner}), d_bias2 = Buffer<float, 1>({width});
    weights = {{weight1, {}}, {weight2, {}}};
    if (biased) weights = {{weight1, bias1}, {weight2, bias2}};
    gradients = {d_x, {{d_weight1, {}}, {d_weight2, {}}}};
    if (biased) gradients.weights = {{d_weight1, d_bias1}, {d_weight2, d_bias2}};
    std::fill_n(d_x.data(), rows * width, 7.0f);  // overwritten, not added to
  }

  void forward() {
    trace = saved_in(memory, [&](SavedMemory& place) {
      return feed_forward_saved(x.shape()[0], weights, place);
    });
    Parallel one;
    feed_forward(x, weights, activation, out, {scratch, one}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    feed_forward_backward(d_out, x, weights, activation, trace, gradients, {scratch, parallel});
  }
  Values<double> written() const {
    return testing::elements_of_all(d_x, d_weight1, d_weight2, d_bias1, d_bias2);
  }

  template <typename Scalar>
  FeedForwardTables<Scalar> tables() const {
    return {Table<Scalar>(weights.linear1.weight), Table<Scalar>(weights.linear1.bias),
            Table<Scalar>(weights.linear2.weight), Table<Scalar>(weights.linear2.bias)};
  }
  FeedForwardReferenceGradients expected() const {
    return feed_forward_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                                  tables<Bounded>(), activation);
  }
  void expect_all() const {
    const FeedForwardReferenceGradients e = expected();
    expect_bounded(e.x.values, d_x.view(), "d_x");
    expect_bounded(e.weights.weight1.values, d_weight1.view(), "d_linear1.weight");
    expect_bounded(e.weights.weight2.values, d_weight2.view(), "d_linear2.weight");
    if (!weights.linear1.bias) return;
    expect_bounded(e.weights.bias1.values, d_bias1.view(), "d_linear1.bias");
    expect_bounded(e.weights.bias2.values, d_bias2.view(), "d_linear2.bias");
  }
};

TEST(FeedForwardBackward, ItsReferenceAgreesWithTheComplexStep) {
  for (const auto& [name, named] : kActivations) {
    SCOPED_TRACE(std::string(name));
    const Activation activation = named;  // Clang captures no structured binding before 16
    const Case c(3, 4, 5, activation);
    const Values<double> d_out = elements(c.d_out);
    auto x = Table<Complex>(c.x.view());
    auto w = c.tables<Complex>();
    const FeedForwardReferenceGradients e = c.expected();
    const auto check = [&](Table<Complex>& part, const Values<Bounded>& expected) {
      testing::expect_complex_step(part, expected, d_out,
                                   [&] { return feed_forward_reference(x, w, activation).values; });
    };
    check(x, e.x.values);
    check(w.weight1, e.weights.weight1.values), check(w.bias1, e.weights.bias1.values);
    check(w.weight2, e.weights.weight2.values), check(w.bias2, e.weights.bias2.values);
  }
}

TEST(FeedForwardBackward, AgreesForEveryActivationAndSize) {
  for (const auto& [name, activation] : kActivations) {
    for (const Shape<3>& size : {Shape<3>{1, 1, 1}, {3, 5, 9}, {17, 16, 33}, {70, 24, 40}}) {
      for (const bool biased : {true, false}) {
        SCOPED_TRACE(shape_text<3>(size) + " " + std::string(name));
        Case c(size[0], size[1], size[2], activation, biased);
        c.forward();
        c.backward();
        c.expect_all();
      }
    }
  }
}

TEST(FeedForwardBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  testing::expect_independent([] { return Case(130, 33, 70, Activation::gelu); },
                              [](const FeedForwardGradients& all) {
                                const auto& [linear1, linear2] = all.weights;
                                return std::vector<FeedForwardGradients>{
                                    {.d_x = all.d_x},
                                    {.weights = {.linear1 = {linear1.weight, {}}}},
                                    {.weights = {.linear1 = {{}, linear1.bias}}},
                                    {.weights = {.linear2 = {linear2.weight, {}}}},
                                    {.weights = {.linear2 = {{}, linear2.bias}}}};
                              });
}

TEST(FeedForwardBackward, AddsUpOverBatchesInTheSameMemory) {
  Case c(20, 12, 18, Activation::silu);
  testing::expect_adds_up(c, c.d_weight1);
}

TEST(FeedForwardBackward, TakesRowsFromAnywhere) {
  Case c(9, 5, 7, Activation::gelu_tanh);
  c.forward();
  c.backward();
  Buffer<float, 2> wide_x({9, 8}), wide_d_out({9, 6}), wide_d_x({9, 11});
  const MatrixView<float> x(wide_x.data() + 1, {9, 5}, {8, 1});
  const MatrixView<float> d_out(wide_d_out.data(), {9, 5}, {6, 1});
  const MatrixView<float> d_x(wide_d_x.data() + 3, {9, 5}, {11, 1});
  for (Index n = 0; n < 9; ++n) {
    std::copy_n(c.x.view()[n].data(), 5, x[n].data());
    std::copy_n(c.d_out.view()[n].data(), 5, d_out[n].data());
  }
  Parallel parallel;
  feed_forward_backward(d_out, x, c.weights, c.activation, c.trace, {.d_x = d_x},
                        {c.scratch, parallel});
  EXPECT_TRUE(equal(c.d_x, d_x));
  EXPECT_EQ(wide_d_x.view()[4][2], 0);
  EXPECT_EQ(wide_d_x.view()[4][8], 0);
}

TEST(FeedForwardBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(2, 3, 4, Activation::relu);
  c.forward();
  const Values<double> before = c.written();
  Parallel parallel;
  const auto message = [&](MatrixView<const float> d_out, const FeedForwardTrace& trace,
                           const FeedForwardGradients& gradients) {
    return error_of([&] {
      feed_forward_backward(d_out, c.x, c.weights, c.activation, trace, gradients,
                            {c.scratch, parallel});
    });
  };
  EXPECT_EQ(message(c.weight1, c.trace, c.gradients),
            "feed_forward_backward: d_out: shape must be [2, 3], is [4, 3]; the shape of x");
  EXPECT_EQ(message(c.d_out, {}, c.gradients),
            "feed_forward_backward: trace.hidden: no tensor given");
  EXPECT_EQ(message(c.d_out, {c.trace.hidden, {}}, c.gradients),
            "feed_forward_backward: trace.activated: no tensor given");
  EXPECT_EQ(message(c.d_out, c.trace, {.d_x = c.weight1}),
            "feed_forward_backward: d_x: shape must be [2, 3], is [4, 3]; the shape of x");
  FeedForwardGradients wrong = c.gradients;
  wrong.weights.linear2.weight = c.d_weight1;
  EXPECT_EQ(message(c.d_out, c.trace, wrong),
            "feed_forward_backward: d_linear2.weight: shape must be [3, 4], is [4, 3]; that of the "
            "weight");
  wrong = c.gradients;
  wrong.weights.linear1.weight = c.weight1;
  EXPECT_NE(message(c.d_out, c.trace, wrong).find("d_linear1.weight: shares memory"),
            std::string::npos);
  const FeedForwardWeights weights = std::exchange(c.weights, {{c.weight1, {}}, {c.weight2, {}}});
  EXPECT_EQ(message(c.d_out, c.trace, {c.d_x, {{c.d_weight1, c.d_bias1}, {}}}),
            "feed_forward_backward: d_linear1.bias: is the gradient of a weight that is not given");
  c.weights = weights;
  testing::expect_unharmed(c, before);
}

TEST(SavedMemory, IsCountedBeforeItIsGiven) {
  Buffer<float, 2> weight({5, 3});
  const FeedForwardWeights weights = {{weight, {}}, {}};
  SavedMemory size;
  const FeedForwardTrace none = feed_forward_saved(7, weights, size);
  EXPECT_FALSE(none.hidden);
  EXPECT_EQ(size.count(), 2 * 48);  // 35 floats each, on whole cache lines
  Buffer<float, 1> memory({96}), less({80});
  SavedMemory place(memory), small(less);
  const FeedForwardTrace trace = feed_forward_saved(7, weights, place);
  EXPECT_EQ(trace.hidden.data(), memory.data());
  EXPECT_EQ(trace.activated.data(), memory.data() + 48);
  EXPECT_EQ(trace.activated.shape(), (Shape<2>{7, 5}));
  EXPECT_EQ(error_of([&] { feed_forward_saved(7, weights, small); }),
            "SavedMemory: memory: holds 80 floats, and needs at least 96");
}

TEST(SavedMemory, ServesAgainWhereItIsLargeEnough) {
  Buffer<float, 1> memory;
  const auto lay_out = [&](Index rows) {
    const auto taken = [&](SavedMemory& place) { return place.take(rows, Index{3}); };
    EXPECT_EQ(saved_count(taken), (rows * 3 + 15) / 16 * 16);
    return saved_in(memory, taken);
  };
  const MatrixView<float> first = lay_out(11);
  EXPECT_EQ(memory.shape(), Shape<1>{48});
  EXPECT_EQ(first.data(), memory.data());
  EXPECT_EQ(lay_out(2).data(), first.data());
  EXPECT_EQ(memory.shape(), Shape<1>{48});
  const MatrixView<float> larger = lay_out(17);
  EXPECT_EQ(memory.shape(), Shape<1>{64});
  EXPECT_EQ(larger.data(), memory.data());
  // A failed request leaves the memory unchanged.
  const auto huge = [](SavedMemory& place) {
    return place.take(std::numeric_limits<Index>::max() / 8, Index{3});
  };
  EXPECT_NE(error_of([&] { saved_in(memory, huge); }), "");
  EXPECT_EQ(memory.shape(), Shape<1>{64});
  EXPECT_EQ(larger.data(), memory.data());
  Buffer<float, 1> none;
  EXPECT_TRUE(saved_in(none, [](SavedMemory&) { return true; }));
}

// Each alone would fit.
TEST(SavedMemory, RefusesWhatCannotBeAddressedAltogether) {
  constexpr Index kMost = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(float));
  SavedMemory size;
  size.take(kMost / 2 / 16 * 16);
  const Index before = size.count();
  const std::string message = error_of([&] { size.take(kMost); });
  EXPECT_EQ(message, "SavedMemory: memory: more than " + std::to_string(kMost) +
                         " floats cannot be addressed");
  EXPECT_EQ(size.count(), before);
}

}  // namespace
}  // namespace tril
