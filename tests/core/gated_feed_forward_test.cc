// The gated feed-forward and its gradients: the reference against the complex step through the
// definition, and then the floats against the reference, within the bounds that it computes
// (bounded.h).
#include <gtest/gtest.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/feed_forward.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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
using testing::FeedForwardTables;
using testing::Table;
using testing::uniform;
using testing::Values;

struct Case {
  Activation activation;
  Index N, C, F;
  Buffer<float, 2> x, d_out, out, d_x;
  Buffer<float, 1> memory, d_memory, saved;
  FeedForwardWeights weights;
  FeedForwardGradients gradients;
  FeedForwardTrace trace;
  Scratch scratch;

  Case(Index rows, Index width, Index inner, Activation kind, bool biased = true)
      : activation(kind), N(rows), C(width), F(inner) {
    Random random(145);
    x = uniform<2>({N, C}, random), d_out = uniform<2>({N, C}, random);
    out = Buffer<float, 2>({N, C}), d_x = Buffer<float, 2>({N, C});
    static float nothing = 0;
    BasicFeedForwardWeights<float> form{{{&nothing, {2 * F, C}}, {}}, {{&nothing, {C, F}}, {}}};
    if (biased) form.linear1.bias = {&nothing, {2 * F}}, form.linear2.bias = {&nothing, {C}};
    memory = uniform<1>({parameter_count(form)}, random);
    d_memory = Buffer<float, 1>(memory.shape());
    weights = parameters_as<FeedForwardWeights>(
        parameters_in<BasicFeedForwardWeights<float>>(memory.data(), form));
    gradients = {d_x, parameters_in<BasicFeedForwardWeights<float>>(d_memory.data(), form)};
    trace = saved_in(
        saved, [&](SavedMemory& place) { return gated_feed_forward_saved(N, weights, place); });
    std::fill_n(d_x.data(), N * C, 7.0f);  // overwritten, not added to
  }
  void forward(int threads = 1) {
    Parallel parallel(threads);
    gated_feed_forward(x, weights, activation, out, {scratch, parallel}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    gated_feed_forward_backward(d_out, x, weights, activation, trace, gradients,
                                {scratch, parallel});
  }
  template <typename Scalar>
  FeedForwardTables<Scalar> tables() const {
    return {Table<Scalar>(weights.linear1.weight), Table<Scalar>(weights.linear1.bias),
            Table<Scalar>(weights.linear2.weight), Table<Scalar>(weights.linear2.bias)};
  }
  testing::FeedForwardReferenceGradients expected() const {
    return gated_feed_forward_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                                        tables<Bounded>(), activation);
  }
  void expect_all() const {
    expect_bounded(
        gated_feed_forward_reference(Table<Bounded>(x.view()), tables<Bounded>(), activation)
            .values,
        out.view(), "out");
    const auto e = expected();
    expect_bounded(e.x.values, d_x.view(), "d_x");
    const auto& d = gradients.weights;
    expect_bounded(e.weights.weight1.values, d.linear1.weight, "d_linear1.weight");
    expect_bounded(e.weights.weight2.values, d.linear2.weight, "d_linear2.weight");
    if (!d.linear1.bias) return;
    expect_bounded(e.weights.bias1.values, d.linear1.bias, "d_linear1.bias");
    expect_bounded(e.weights.bias2.values, d.linear2.bias, "d_linear2.bias");
  }
};

TEST(GatedFeedForward, ItsReferenceAgreesWithTheComplexStep) {
  for (const auto& each : kActivations) {  // Clang 14 captures no structured binding.
    const Activation activation = each.value;
    const Case c(3, 4, 5, activation);
    const Values<double> d_out = elements(c.d_out);
    auto at = std::pair(Table<Complex>(c.x.view()), c.tables<Complex>());
    const auto e = c.expected();
    const auto check = [&](Table<Complex>& part, const Values<Bounded>& expected) {
      testing::expect_complex_step(part, expected, d_out, [&] {
        return gated_feed_forward_reference(at.first, at.second, activation).values;
      });
    };
    check(at.first, e.x.values);
    check(at.second.weight1, e.weights.weight1.values),
        check(at.second.bias1, e.weights.bias1.values);
    check(at.second.weight2, e.weights.weight2.values),
        check(at.second.bias2, e.weights.bias2.values);
  }
}

TEST(GatedFeedForward, AgreesForEveryActivationAndSize) {
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

TEST(GatedFeedForward, DoesNotDependOnThreadsOrOnWhatIsTracedOrAskedFor) {
  Case one(200, 16, 24, Activation::silu), three(200, 16, 24, Activation::silu);
  one.forward(), three.forward(3);
  one.backward(), three.backward(3);
  EXPECT_TRUE(equal(one.out, three.out));
  EXPECT_TRUE(equal(one.d_x, three.d_x));
  EXPECT_TRUE(equal(one.d_memory, three.d_memory));
  Case alone(200, 16, 24, Activation::silu);
  const FeedForwardTrace kept = std::exchange(alone.trace, {});
  alone.forward();
  EXPECT_TRUE(equal(one.out, alone.out));
  alone.trace = kept;
  alone.forward();
  const FeedForwardGradients all = std::exchange(alone.gradients, {});
  alone.gradients.d_x = all.d_x;
  alone.backward();
  alone.gradients = {.weights = all.weights};
  alone.backward();
  EXPECT_TRUE(equal(one.d_x, alone.d_x));
  EXPECT_TRUE(equal(one.d_memory, alone.d_memory));
}

TEST(GatedFeedForward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(3, 4, 5, Activation::silu);
  c.out.data()[0] = 7;
  Parallel parallel;
  const auto forward = [&](const FeedForwardWeights& weights, const FeedForwardTrace& trace) {
    return error_of([&] {
      gated_feed_forward(c.x, weights, c.activation, c.out, {c.scratch, parallel}, trace);
    });
  };
  FeedForwardWeights odd = c.weights;
  odd.linear1.weight = {c.memory.data(), {9, 4}};
  EXPECT_EQ(forward(odd, {}),
            "gated_feed_forward: linear1.weight: must have an even number of rows, half of them "
            "for the gate, has 9");
  odd = c.weights;
  odd.linear2.weight = {c.memory.data(), {4, 10}};
  EXPECT_NE(forward(odd, {}).find("linear2.weight: shape must be [4, 5], is [4, 10]"),
            std::string::npos);
  EXPECT_NE(forward(c.weights, {.hidden = c.trace.activated}).find("hidden: shape must be [3, 10]"),
            std::string::npos);
  EXPECT_EQ(c.out.data()[0], 7);
  c.forward();
  FeedForwardTrace trace = c.trace;
  trace.hidden = {};
  const auto backward = [&](const FeedForwardTrace& left, const FeedForwardGradients& gradients) {
    return error_of([&] {
      gated_feed_forward_backward(c.d_out, c.x, c.weights, c.activation, left, gradients,
                                  {c.scratch, parallel});
    });
  };
  EXPECT_EQ(backward(trace, c.gradients),
            "gated_feed_forward_backward: trace.hidden: no tensor given");
  EXPECT_NE(backward(c.trace, {.d_x = c.x}).find("d_x: shares memory"), std::string::npos);
  EXPECT_EQ(c.d_x.data()[0], 7);
  EXPECT_EQ(testing::max_abs(c.d_memory.view()), 0);
  c.backward();
  c.expect_all();
}

}  // namespace
}  // namespace tril
