// The gradients of attention in double, one score at a time, and their loss for any scalar: the
// oracle of attention_backward.
#pragma once

#include <cmath>
#include <limits>

#include "core/attention_reference.h"
#include "core/gradient.h"

namespace tril::testing {

inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

struct AttentionShape {
  Index B = 1, H = 1, Hk = 1, T = 1, S = 1, D = 1, Dv = 1;
};

// One problem, entirely in double, row-major.
struct AttentionLoss {
  AttentionShape n;
  double scale, softcap;
  Bias bias;
  Values<double> q, k, v, d_output;
  // The factor of each weight after softmax, [B H T, S]; empty: 1.
  Values<double> kept = {};

  std::size_t at_q(Index b, Index h, Index t, Index d) const {
    return static_cast<std::size_t>(((b * n.H + h) * n.T + t) * n.D + d);
  }
  std::size_t at_k(Index b, Index h, Index s, Index d, Index width) const {
    return static_cast<std::size_t>(((b * n.Hk + h / (n.H / n.Hk)) * n.S + s) * width + d);
  }
  double keeps(Index b, Index h, Index t, Index s) const {
    return kept.empty() ? 1 : kept[static_cast<std::size_t>(((b * n.H + h) * n.T + t) * n.S + s)];
  }
  std::size_t at_o(Index b, Index h, Index t, Index d) const {
    return static_cast<std::size_t>(((b * n.H + h) * n.T + t) * n.Dv + d);
  }

  // The sum of d_output * attention(q, k, v), for any scalar.
  template <typename Scalar>
  Scalar loss(const Values<Scalar>& query, const Values<Scalar>& key,
              const Values<Scalar>& value) const {
    Scalar total = 0;
    for_rows([&](Index b, Index h, Index t) {
      Scalar sum = 0, weighted = 0;
      for (Index s = 0; s < n.S; ++s) {
        const double added = bias(b, h, t, s);
        if (added == kHidden) continue;
        Scalar score = 0, flow = 0;
        for (Index d = 0; d < n.D; ++d) {
          score += scale * query[at_q(b, h, t, d)] * key[at_k(b, h, s, d, n.D)];
        }
        if (softcap > 0) score = softcap * std::tanh(score / softcap);
        const Scalar power = std::exp(score + added);
        for (Index d = 0; d < n.Dv; ++d) {
          flow += d_output[at_o(b, h, t, d)] * value[at_k(b, h, s, d, n.Dv)];
        }
        sum += power;
        weighted += power * flow * keeps(b, h, t, s);
      }
      if (sum != Scalar(0)) total += weighted / sum;
    });
    return total;
  }

  template <typename Body>
  void for_rows(const Body& body) const {
    for (Index b = 0; b < n.B; ++b) {
      for (Index h = 0; h < n.H; ++h) {
        for (Index t = 0; t < n.T; ++t) body(b, h, t);
      }
    }
  }
};

struct AttentionLossGradients {
  Values<double> q, k, v, mask, output, log_sum_exp;
};

// The gradients by the formulas of attention_backward.h, one score at a time.
inline AttentionLossGradients gradients_of(const AttentionLoss& p) {
  const AttentionShape& n = p.n;
  AttentionLossGradients g{Values<double>(p.q.size()),
                           Values<double>(p.k.size()),
                           Values<double>(p.v.size()),
                           Values<double>(static_cast<std::size_t>(n.B * n.H * n.T * n.S)),
                           Values<double>(p.d_output.size()),
                           {}};
  p.for_rows([&](Index b, Index h, Index t) {
    Values<double> scores, slopes;
    double sum = 0;
    for (Index s = 0; s < n.S; ++s) {
      double score = 0, slope = 1;
      for (Index d = 0; d < n.D; ++d) {
        score += p.scale * p.q[p.at_q(b, h, t, d)] * p.k[p.at_k(b, h, s, d, n.D)];
      }
      if (p.softcap > 0) {
        score = p.softcap * std::tanh(score / p.softcap);
        slope = 1 - score / p.softcap * score / p.softcap;
      }
      scores.push_back(score + p.bias(b, h, t, s));
      slopes.push_back(slope);
      sum += std::exp(scores.back());
    }
    g.log_sum_exp.push_back(sum == 0 ? -kHidden : std::log(sum));
    if (sum == 0) return;
    double delta = 0;
    Values<double> flows;
    for (Index s = 0; s < n.S; ++s) {
      const double kept = p.keeps(b, h, t, s);
      const double weight = kept * std::exp(scores[static_cast<std::size_t>(s)]) / sum;
      double flow = 0;
      for (Index d = 0; d < n.Dv; ++d) {
        const double dy = p.d_output[p.at_o(b, h, t, d)];
        flow += dy * p.v[p.at_k(b, h, s, d, n.Dv)];
        g.v[p.at_k(b, h, s, d, n.Dv)] += weight * dy;
        g.output[p.at_o(b, h, t, d)] += weight * p.v[p.at_k(b, h, s, d, n.Dv)];
      }
      flows.push_back(kept * flow);
      delta += weight * flow;
    }
    for (Index s = 0; s < n.S; ++s) {
      const auto i = static_cast<std::size_t>(s);
      const double d_score = std::exp(scores[i]) / sum * (flows[i] - delta);
      g.mask[static_cast<std::size_t>(((b * n.H + h) * n.T + t) * n.S + s)] = d_score;
      for (Index d = 0; d < n.D; ++d) {
        const double through = p.scale * d_score * slopes[i];
        g.q[p.at_q(b, h, t, d)] += through * p.k[p.at_k(b, h, s, d, n.D)];
        g.k[p.at_k(b, h, s, d, n.D)] += through * p.q[p.at_q(b, h, t, d)];
      }
    }
  });
  return g;
}

}  // namespace tril::testing
