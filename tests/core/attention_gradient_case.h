// Helpers for the tests of attention's gradients: a case with all inputs and outputs of
// attention_backward, and the comparison with the reference.
//
// Bounds, with u = 2^-24, q, k, v, d, o the largest magnitudes of query, key, value, d_out and
// output, and n = D, Dv, S, T the lengths of sums:
//   score       off by s = 2 u (D + 1) scale D q k, and u of the mask's number
//   weight      relative error r = s + u (|score| + |log_sum_exp|) + 4 u, the exponential and the
//               rounded log_sum_exp included
//   d_weight    at most m = Dv d v, off by u (Dv + 2) m; delta is at most Dv d o, off by as much
//               and by u Dv d o for the rounded output; their difference is at most 2 m, since
//               outputs are weighted means of values
//   d_score     off by its weight times 2 m (r + u (Dv + 4)); with a soft cap c by
//               2 m (2 s / c + 6 u) more
//   d_query     weights of a row sum to 1: scale k 2 m (r + u (Dv + S + 6))
//   d_key       the same for at most T G queries: scale q 2 m T G (r + u (Dv + T G + 6))
//   d_value     d T G (r + u (T G + 2))
// With dropout, which multiplies weights by f = 1 / (1 - p), d is f times as large, and rounded
// once more.
#pragma once

#include <gtest/gtest.h>
#include <tril/attention/attention_backward.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/attention_gradient_reference.h"
#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril::testing {

template <int Rank>
void round_into(const Values<double>& values, Buffer<float, Rank>& out) {
  for (std::size_t i = 0; i < values.size(); ++i) out.data()[i] = static_cast<float>(values[i]);
}

// All arguments of attention_backward, drawn from a seed, and its expected results.
struct AttentionGradientCase {
  AttentionShape n;
  Buffer<float, 4> q, k, v, d_output, output, d_q, d_k, d_v, d_mask;
  Buffer<float, 3> log_sum_exp;
  AttentionLoss problem;
  AttentionLossGradients expected;
  double factor = 1;  // the factor of dropout

  AttentionGradientCase(const AttentionShape& sizes, double softcap = 0, const Bias& bias = no_bias,
                        std::optional<double> scale = {},
                        const std::optional<DropoutOptions>& dropout = {})
      : n(sizes),
        output({n.B, n.H, n.T, n.Dv}),
        d_q({n.B, n.H, n.T, n.D}),
        d_k({n.B, n.Hk, n.S, n.D}),
        d_v({n.B, n.Hk, n.S, n.Dv}),
        d_mask({n.B, n.H, n.T, n.S}),
        log_sum_exp({n.B, n.H, n.T}) {
    Random random(120);
    q = uniform<4>({n.B, n.H, n.T, n.D}, random);
    k = uniform<4>({n.B, n.Hk, n.S, n.D}, random);
    v = uniform<4>({n.B, n.Hk, n.S, n.Dv}, random);
    d_output = uniform<4>({n.B, n.H, n.T, n.Dv}, random);
    const double standard = static_cast<float>(1 / std::sqrt(static_cast<double>(n.D)));
    problem = {n,           scale.value_or(standard), softcap, bias, elements(q), elements(k),
               elements(v), elements(d_output)};
    if (dropout) leave_out(*dropout);
    expected = gradients_of(problem);
    round_into(expected.output, output);
    round_into(expected.log_sum_exp, log_sum_exp);
    for (Buffer<float, 4>* each : {&d_q, &d_k, &d_v, &d_mask}) {
      std::fill_n(each->data(), each->view().count(), 7.0f);  // overwritten, not added to
    }
  }

  // Marks the dropped weights, by dropout of ones.
  void leave_out(const DropoutOptions& dropout) {
    Buffer<float, 2> ones({n.B * n.H * n.T, n.S});
    std::fill_n(ones.data(), ones.view().count(), 1.0f);
    tril::dropout(ones, dropout, ones);
    problem.kept = elements(ones);
    factor = 1 / (1 - dropout.probability);
  }

  void run(const AttentionOptions& options, int threads = 1) {
    Scratch scratch;
    Parallel parallel(threads);
    attention_backward(d_output, q, k, v, output, log_sum_exp, options, {d_q, d_k, d_v, d_mask},
                       {scratch, parallel});
  }

  struct Bounds {
    double q, k, v, mask;
  };
  // The bounds above. `largest_bias`: the largest finite magnitude that the mask adds.
  Bounds bounds(double largest_bias = 0) const {
    const double u = kRounding, D = static_cast<double>(n.D), Dv = static_cast<double>(n.Dv);
    const double S = static_cast<double>(n.S), T = static_cast<double>(n.T * n.H / n.Hk);
    const double qm = max_abs(q.view()), km = max_abs(k.view()), vm = max_abs(v.view());
    const double dm = factor * max_abs(d_output.view()) * (factor > 1 ? 1 + u : 1),
                 scale = std::fabs(problem.scale);
    const double score = scale * D * qm * km, s = 2 * u * (D + 1) * score + 2 * u * largest_bias;
    const double largest = score + largest_bias + std::log(S);
    const double r = s + u * 2 * largest + 4 * u, m = Dv * dm * vm;
    const double cap = problem.softcap > 0 ? 2 * s / problem.softcap + 6 * u : 0;
    const double flow = 2 * m * (r + cap + u * (Dv + 6));
    return {.q = scale * km * (flow + 2 * m * u * S),
            .k = scale * qm * T * (flow + 2 * m * u * T),
            .v = dm * T * (r + u * (T + 2)),
            .mask = flow};
  }

  void expect_all(double largest_bias = 0) const {
    const Bounds most = bounds(largest_bias);
    const auto within = [](double bound) { return [bound](std::size_t) { return bound; }; };
    expect_within(expected.q, d_q, within(most.q), "d_query");
    expect_within(expected.k, d_k, within(most.k), "d_key");
    expect_within(expected.v, d_v, within(most.v), "d_value");
    expect_within(expected.mask, d_mask, within(most.mask), "d_mask");
  }

  // Checks the reference itself, against the complex step through its loss.
  void expect_complex_step(double largest_bias = 0) const {
    const AttentionLoss& p = problem;
    const Bounds most = bounds(largest_bias);
    const auto complex = [](const Values<double>& x) {
      return Values<Complex>(x.begin(), x.end());
    };
    const auto expect = [&](const Values<double>& found, const Values<double>& x, double bound,
                            const auto& loss) {
      const Values<double> slopes = gradient_of(loss, x);
      for (std::size_t i = 0; i < slopes.size(); ++i) {
        ASSERT_NEAR(found[i], slopes[i], complex_step_bound(bound, p.d_output.size())) << i;
      }
    };
    expect(expected.q, p.q, most.q,
           [&](const auto& z) { return p.loss(z, complex(p.k), complex(p.v)); });
    expect(expected.k, p.k, most.k,
           [&](const auto& z) { return p.loss(complex(p.q), z, complex(p.v)); });
    expect(expected.v, p.v, most.v,
           [&](const auto& z) { return p.loss(complex(p.q), complex(p.k), z); });
  }
};

inline Bias causal(Index offset = 0) {
  return [offset](Index, Index, Index t, Index s) { return s <= t + offset ? 0 : kHidden; };
}

}  // namespace tril::testing
