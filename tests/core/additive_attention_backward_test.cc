// The gradients of additive attention: a reference against the complex step through the definition,
// and then the floats against the reference, within the bounds that it computes (bounded.h).
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/foundation/saved_memory.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/backward_case.h"
#include "core/compare.h"
#include "core/golden.h"
#include "core/golden_gradients.h"
#include "core/layer_gradient_reference.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::expect_bounded;
using testing::linear_gradients;
using testing::linear_reference;
using testing::LinearReferenceGradients;
using testing::Sum;
using testing::Table;
using testing::uniform;
using testing::Values;

// All arguments for one batch, and whether a query sees a key.
template <typename Scalar>
struct Arguments {
  Table<Scalar> query, key, value, w_query, w_key, w_score;
  bool causal;

  bool sees(Index t, Index s) const { return !causal || s <= t; }
};

template <typename Scalar>
struct Forward {
  Table<Scalar> queries, keys, weights, out;
};

template <typename Scalar>
Forward<Scalar> reference(const Arguments<Scalar>& in) {
  using std::exp, std::tanh;
  Forward<Scalar> f;
  f.queries = linear_reference(in.query, in.w_query, {});
  f.keys = linear_reference(in.key, in.w_key, {});
  f.weights = Table<Scalar>(in.query.rows, in.key.rows);
  f.out = Table<Scalar>(in.query.rows, in.value.cols);
  for (Index t = 0; t < in.query.rows; ++t) {
    Sum<Scalar> total;
    for (Index s = 0; s < in.key.rows; ++s) {
      Sum<Scalar> score;
      for (Index a = 0; a < in.w_query.rows; ++a) {
        score.add(in.w_score(0, a) * tanh(f.queries(t, a) + f.keys(s, a)));
      }
      f.weights(t, s) = in.sees(t, s) ? exp(score.value()) : Scalar(0);
      total.add(f.weights(t, s));
    }
    for (Index s = 0; s < in.key.rows; ++s) f.weights(t, s) = f.weights(t, s) / total.value();
    for (Index c = 0; c < in.value.cols; ++c) {
      Sum<Scalar> blend;
      for (Index s = 0; s < in.key.rows; ++s) blend.add(f.weights(t, s) * in.value(s, c));
      f.out(t, c) = blend.value();
    }
  }
  return f;
}

Arguments<Bounded> gradients(const Arguments<Bounded>& in, const Table<Bounded>& d_out) {
  const Forward<Bounded> f = reference(in);
  const Index T = in.query.rows, S = in.key.rows, A = in.w_query.rows;
  Arguments<Bounded> d{{}, {}, Table<Bounded>(S, in.value.cols), {}, {}, Table<Bounded>(1, A), {}};
  Table<Bounded> d_score(T, S), d_q(T, A), d_k(S, A);
  for (Index t = 0; t < T; ++t) {
    Values<Bounded> flows;
    Sum<Bounded> mean;
    for (Index s = 0; s < S; ++s) {
      Sum<Bounded> flow;
      for (Index c = 0; c < in.value.cols; ++c) flow.add(d_out(t, c) * in.value(s, c));
      flows.push_back(flow.value());
      mean.add(f.weights(t, s) * flow.value());
    }
    for (Index s = 0; s < S; ++s) {
      d_score(t, s) = f.weights(t, s) * (flows[static_cast<std::size_t>(s)] - mean.value());
    }
  }
  for (Index s = 0; s < S; ++s) {
    for (Index c = 0; c < in.value.cols; ++c) {
      Sum<Bounded> sum;
      for (Index t = 0; t < T; ++t) sum.add(f.weights(t, s) * d_out(t, c));
      d.value(s, c) = sum.value();
    }
  }
  std::vector<Sum<Bounded>> of_q(d_q.values.size()), of_k(d_k.values.size());
  for (Index a = 0; a < A; ++a) {
    Sum<Bounded> of_score;
    for (Index t = 0; t < T; ++t) {
      for (Index s = 0; s < S; ++s) {
        const Bounded z = tanh(f.queries(t, a) + f.keys(s, a));
        const Bounded through = d_score(t, s) * in.w_score(0, a) * (Bounded(1) - z * z);
        of_score.add(d_score(t, s) * z);
        of_q[static_cast<std::size_t>(t * A + a)].add(through);
        of_k[static_cast<std::size_t>(s * A + a)].add(through);
      }
    }
    d.w_score(0, a) = of_score.value();
  }
  for (std::size_t i = 0; i < of_q.size(); ++i) d_q.values[i] = of_q[i].value();
  for (std::size_t i = 0; i < of_k.size(); ++i) d_k.values[i] = of_k[i].value();
  const LinearReferenceGradients query = linear_gradients(d_q, in.query, in.w_query);
  const LinearReferenceGradients key = linear_gradients(d_k, in.key, in.w_key);
  d.query = query.x, d.w_query = query.weight;
  d.key = key.x, d.w_key = key.weight;
  return d;
}

// Additive attention with all inputs and outputs of its backward pass, drawn from a seed.
struct Case {
  Buffer<float, 3> query, key, value, d_out, out, d_query, d_key, d_value;
  Buffer<float, 2> w_query, w_key, d_w_query, d_w_key;
  Buffer<float, 1> w_score, d_w_score, memory;
  bool causal;
  AdditiveTrace trace;
  AdditiveGradients gradients;
  Scratch scratch;

  Case(Index B, Index T, Index S, Index A, bool is_causal, Index Dq = 5, Index Dk = 6, Index Dv = 4)
      : causal(is_causal) {
    Random random(200);
    query = uniform<3>({B, T, Dq}, random), key = uniform<3>({B, S, Dk}, random);
    value = uniform<3>({B, S, Dv}, random), d_out = uniform<3>({B, T, Dv}, random);
    w_query = uniform<2>({A, Dq}, random), w_key = uniform<2>({A, Dk}, random);
    w_score = uniform<1>({A}, random);
    out = Buffer<float, 3>({B, T, Dv});
    d_query = Buffer<float, 3>(query.shape()), d_key = Buffer<float, 3>(key.shape());
    d_value = Buffer<float, 3>(value.shape()), d_w_query = Buffer<float, 2>(w_query.shape());
    d_w_key = Buffer<float, 2>(w_key.shape()), d_w_score = Buffer<float, 1>({A});
    for (Buffer<float, 3>* each : {&d_query, &d_key, &d_value}) {
      std::fill_n(each->data(), each->view().count(), 7.0f);  // overwritten, not added to
    }
    gradients = {d_query, d_key, d_value, {d_w_query, d_w_key, d_w_score}};
  }

  void forward() {
    trace = saved_in(memory, [&](SavedMemory& place) {
      return additive_attention_saved(query.shape(), key.shape(), weights(), place);
    });
    additive_attention(query, key, value, weights(), causal ? Mask::causal() : Mask(), out, {},
                       trace);
  }
  AdditiveWeights weights() const { return {w_query, w_key, w_score}; }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    additive_attention_backward(d_out, query, key, value, weights(), trace, gradients,
                                {scratch, parallel});
  }
  Values<double> written() const {
    return testing::elements_of_all(d_query, d_key, d_value, d_w_query, d_w_key, d_w_score);
  }
  template <typename Scalar>
  Arguments<Scalar> arguments(Index b) const {
    return {Table<Scalar>(query.view()[b]),
            Table<Scalar>(key.view()[b]),
            Table<Scalar>(value.view()[b]),
            Table<Scalar>(w_query.view()),
            Table<Scalar>(w_key.view()),
            Table<Scalar>(w_score.view()),
            causal};
  }
  void expect_all() const {
    Table<Bounded> of_query, of_key, of_score;
    const auto add_to = [](Table<Bounded>& sum, const Table<Bounded>& part) {
      sum = sum ? testing::sum_of(sum, part) : part;
    };
    for (Index b = 0; b < query.shape()[0]; ++b) {
      const Arguments<Bounded> e =
          tril::gradients(arguments<Bounded>(b), Table<Bounded>(d_out.view()[b]));
      expect_bounded(e.query.values, d_query.view()[b], "d_query");
      expect_bounded(e.key.values, d_key.view()[b], "d_key");
      expect_bounded(e.value.values, d_value.view()[b], "d_value");
      add_to(of_query, e.w_query), add_to(of_key, e.w_key), add_to(of_score, e.w_score);
    }
    // Sums over all queries and keys, whose terms cancel.
    constexpr double kLooseness = 1e-2;
    expect_bounded(of_query.values, d_w_query.view(), "d_w_q", kLooseness);
    expect_bounded(of_key.values, d_w_key.view(), "d_w_k", kLooseness);
    expect_bounded(of_score.values, d_w_score.view(), "d_v", kLooseness);
  }
};

TEST(AdditiveAttentionBackward, ItsReferenceAgreesWithTheComplexStep) {
  for (const bool causal : {false, true}) {
    const Case c(1, 3, 4, 5, causal);
    const Values<double> d_out = elements(c.d_out);
    Arguments<Complex> at = c.arguments<Complex>(0);
    const Arguments<Bounded> e = gradients(c.arguments<Bounded>(0), Table<Bounded>(c.d_out.view()));
    const auto check = [&](Table<Complex>& part, const Table<Bounded>& expected) {
      testing::expect_complex_step(part, expected.values, d_out,
                                   [&] { return reference(at).out.values; });
    };
    check(at.query, e.query), check(at.key, e.key), check(at.value, e.value);
    check(at.w_query, e.w_query), check(at.w_key, e.w_key), check(at.w_score, e.w_score);
  }
}

TEST(AdditiveAttentionBackward, AgreesForEverySize) {
  for (const bool causal : {false, true}) {
    for (const Shape<3>& n : {Shape<3>{1, 1, 1}, {3, 5, 16}, {7, 9, 11}, {40, 33, 37}}) {
      for (const Index batches : {1, 3}) {
        SCOPED_TRACE(shape_text<3>(n));
        Case c(batches, n[0], n[1], n[2], causal);
        c.forward();
        c.backward();
        c.expect_all();
      }
    }
  }
}

TEST(AdditiveAttentionBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  testing::expect_independent([] { return Case(2, 70, 40, 20, true); },
                              [](const AdditiveGradients& all) {
                                return std::vector<AdditiveGradients>{
                                    {.d_query = all.d_query},
                                    {.d_key = all.d_key},
                                    {.d_value = all.d_value},
                                    {.weights = {.query = all.weights.query}},
                                    {.weights = {.key = all.weights.key}},
                                    {.weights = {.score = all.weights.score}}};
                              });
}

TEST(AdditiveAttentionBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(2, 3, 4, 5, false);
  c.forward();
  const Values<double> before = c.written();
  Parallel parallel;
  const auto message = [&](const AdditiveTrace& trace, const AdditiveGradients& gradients) {
    return error_of([&] {
      additive_attention_backward(c.d_out, c.query, c.key, c.value, c.weights(), trace, gradients,
                                  {c.scratch, parallel});
    });
  };
  EXPECT_EQ(message({}, c.gradients),
            "additive_attention_backward: trace.queries: no tensor given");
  AdditiveTrace trace = c.trace;
  trace.weights = trace.keys;
  EXPECT_NE(
      message(trace, c.gradients).find("trace.weights: shape must be [2, 3, 4], is [2, 4, 5]"),
      std::string::npos);
  EXPECT_EQ(message(c.trace, {.d_query = c.d_key}),
            "additive_attention_backward: d_query: shape must be [2, 3, 5], is [2, 4, 6]; the "
            "shape of query");
  EXPECT_NE(message(c.trace, {.d_key = c.key}).find("d_key: shares memory"), std::string::npos);
  EXPECT_NE(message(c.trace, {.weights = {.query = c.d_w_key}}).find("d_w_q: shape must be"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              additive_attention_backward({}, c.query, c.key, c.value, c.weights(), c.trace,
                                          c.gradients, {c.scratch, parallel});
            }).find("d_out: no tensor given"),
            std::string::npos);
  testing::expect_unharmed(c, before);
}

// tests/golden/make_gradients.py draws the same inputs.
TEST(AdditiveAttentionBackward, IsPyTorchs) {
  Case c(2, 5, 6, 7, true, 3, 4, 2);
  c.forward();
  c.backward(2);
  testing::GoldenGradients expected("additive_attention");
  std::vector<Arguments<Bounded>> e;
  for (Index b = 0; b < 2; ++b) {
    e.push_back(gradients(c.arguments<Bounded>(b), Table<Bounded>(c.d_out.view()[b])));
  }
  using Part = Table<Bounded> Arguments<Bounded>::*;
  const auto both = [&](Part part) {
    Values<Bounded> all = (e[0].*part).values;
    all.insert(all.end(), (e[1].*part).values.begin(), (e[1].*part).values.end());
    return all;
  };
  const auto sum = [&](Part part) { return testing::sum_of(e[0].*part, e[1].*part).values; };
  expected.expect(both(&Arguments<Bounded>::query), c.d_query, "d_query");
  expected.expect(both(&Arguments<Bounded>::key), c.d_key, "d_key");
  expected.expect(both(&Arguments<Bounded>::value), c.d_value, "d_value");
  expected.expect(sum(&Arguments<Bounded>::w_query), c.d_w_query, "d_w_q");
  expected.expect(sum(&Arguments<Bounded>::w_key), c.d_w_key, "d_w_k");
  expected.expect(sum(&Arguments<Bounded>::w_score), c.d_w_score, "d_v");
}

}  // namespace
}  // namespace tril
