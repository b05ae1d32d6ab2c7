// Multi-head attention and its gradients, one score at a time, for any scalar, like the layers in
// layer_gradient_reference.h. Batches are below each other: x is [B T, C].
#pragma once

#include <tril/attention/multi_head_attention.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/layer_gradient_reference.h"

namespace tril::testing {

inline constexpr double kUnseen = -std::numeric_limits<double>::infinity();

struct MultiHeadSetting {
  Index batches, heads, kv_heads;
  Bias bias = no_bias;  // -infinity for hidden keys
  double softcap = 0;
  std::optional<double> scale = {};
  std::optional<MultiHeadRotary> rotary = {};
  double norm_eps = 1e-5;
  // The factor of each weight after softmax, [B H T, S]; empty: 1. Forward pass only.
  Table<double> kept = {};
};

template <typename Scalar>
struct MultiHeadTables {
  Table<Scalar> query, key, value, query_bias, key_bias, value_bias, out, out_bias;
  Table<Scalar> q_norm = {}, k_norm = {};  // forward pass only

  MultiHeadTables() = default;
  MultiHeadTables(const MultiHeadWeights& w, Index heads, Index kv_heads)
      : out(w.out_proj_weight), out_bias(w.out_proj_bias) {
    const Index parts = heads + 2 * kv_heads;
    const Table<Scalar> all(w.in_proj_weight), bias(w.in_proj_bias);
    const Index width = (all    ? all.rows
                         : bias ? bias.cols
                                : w.q_proj_weight.size(0) / heads * parts) /
                        parts;
    const Index rows = heads * width, key_rows = kv_heads * width;
    query = all ? rows_of(all, 0, rows) : Table<Scalar>(w.q_proj_weight);
    key = all ? rows_of(all, rows, key_rows) : Table<Scalar>(w.k_proj_weight);
    value = all ? rows_of(all, rows + key_rows, key_rows) : Table<Scalar>(w.v_proj_weight);
    query_bias = columns_of(bias, 0, rows);
    key_bias = columns_of(bias, rows, key_rows);
    value_bias = columns_of(bias, rows + key_rows, key_rows);
  }
};

// A number in double that the core rounds once; a number up to 1 may be off by 1e-10 before
// (rotary_positions_test.cc).
template <typename Scalar>
Scalar rounded_constant(double value) {
  return value;
}
template <>
inline Bounded rounded_constant<Bounded>(double value) {
  return {value, 1e-10 + kRounding * std::fmax(1, std::fabs(value))};
}

// Rotates the heads of all rows, `length` positions per batch, forwards or, for gradients,
// backwards.
template <typename Scalar>
void turn_heads(Table<Scalar>& x, Index heads, Index length,
                const std::optional<MultiHeadRotary>& rotary, double sign) {
  if (!rotary) return;
  const Index width = x.cols / heads, turned = rotary->width == 0 ? width : rotary->width;
  const Index pairs = turned / 2;
  for (Index n = 0; n < x.rows; ++n) {
    for (Index i = 0; i < pairs; ++i) {
      const double angle =
          static_cast<double>(n % length) *
          std::pow(rotary->base, -2.0 * static_cast<double>(i) / static_cast<double>(turned));
      const Scalar cosine = rounded_constant<Scalar>(std::cos(angle));
      const Scalar sine = rounded_constant<Scalar>(sign * std::sin(angle));
      const bool halves = rotary->pairs == RotaryPairs::halves;
      for (Index h = 0; h < heads; ++h) {
        Scalar& first = x(n, h * width + (halves ? i : 2 * i));
        Scalar& second = x(n, h * width + (halves ? pairs + i : 2 * i + 1));
        const Scalar a = first, b = second;
        first = cosine * a - sine * b;
        second = sine * a + cosine * b;
      }
    }
  }
}

// The results of the forward pass.
template <typename Scalar>
struct MultiHeadForward {
  Table<Scalar> query, key, value, joined, out;
  // A row for each query of each head of each batch: log(sum of e^masked), and a score for each
  // key; no sum if it sees no key.
  std::vector<Values<Scalar>> scores;  // capped, before the mask
  std::vector<std::optional<Scalar>> log_sum_exp;
};

template <typename Scalar>
double real_part(const Scalar& x) {
  return std::real(x);
}
inline double real_part(const Bounded& x) { return x.value; }

template <typename Scalar>
MultiHeadForward<Scalar> multi_head_reference(const Table<Scalar>& x, const Table<Scalar>& context,
                                              const Table<Scalar>& value_context,
                                              const MultiHeadTables<Scalar>& w,
                                              const MultiHeadSetting& at) {
  using std::exp, std::log, std::tanh;
  const Index T = x.rows / at.batches, S = context.rows / at.batches;
  const Index D = w.query.rows / at.heads, group = at.heads / at.kv_heads;
  const double scale = at.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(D))));
  MultiHeadForward<Scalar> f;
  f.query = linear_reference(x, w.query, w.query_bias);
  f.key = linear_reference(context, w.key, w.key_bias);
  f.value = linear_reference(value_context, w.value, w.value_bias);
  if (w.q_norm) f.query = rms_norm_reference(f.query, w.q_norm, at.norm_eps);
  if (w.k_norm) f.key = rms_norm_reference(f.key, w.k_norm, at.norm_eps);
  turn_heads(f.query, at.heads, T, at.rotary, 1);
  turn_heads(f.key, at.kv_heads, S, at.rotary, 1);
  f.joined = Table<Scalar>(x.rows, at.heads * D);
  for (Index b = 0; b < at.batches; ++b) {
    for (Index h = 0; h < at.heads; ++h) {
      for (Index t = 0; t < T; ++t) {
        Values<Scalar> scores, masked;
        double largest = kUnseen;
        for (Index s = 0; s < S; ++s) {
          Sum<Scalar> dot;
          for (Index d = 0; d < D; ++d) {
            dot.add(f.query(b * T + t, h * D + d) * f.key(b * S + s, h / group * D + d));
          }
          Scalar score = Scalar(scale) * dot.value();
          if (at.softcap > 0) score = Scalar(at.softcap) * tanh(score / Scalar(at.softcap));
          const double bias = at.bias(b, h, t, s);
          scores.push_back(score);
          masked.push_back(score + Scalar(bias == kUnseen ? 0 : bias));
          if (bias != kUnseen) largest = std::max(largest, real_part(masked.back()));
        }
        f.scores.push_back(scores);
        f.log_sum_exp.emplace_back();
        if (largest == kUnseen) continue;
        Sum<Scalar> sum;
        Values<Scalar> powers;
        for (Index s = 0; s < S; ++s) {
          const bool seen = at.bias(b, h, t, s) != kUnseen;
          powers.push_back(seen ? exp(masked[static_cast<std::size_t>(s)] - Scalar(largest))
                                : Scalar(0));
          if (seen) sum.add(powers.back());
        }
        const Scalar total = sum.value();
        f.log_sum_exp.back() = log(total) + Scalar(largest);
        for (Index d = 0; d < D; ++d) {
          Sum<Scalar> blend;
          for (Index s = 0; s < S; ++s) {
            const Scalar product =
                powers[static_cast<std::size_t>(s)] * f.value(b * S + s, h / group * D + d);
            blend.add(at.kept ? Scalar(at.kept((b * at.heads + h) * T + t, s)) * product : product);
          }
          f.joined(b * T + t, h * D + d) = blend.value() / total;
        }
      }
    }
  }
  f.out = linear_reference(f.joined, w.out, w.out_bias);
  return f;
}

struct MultiHeadReferenceGradients {
  Table<Bounded> query, key, value;  // of the projections' outputs
  MultiHeadTables<Bounded> weights;
  Values<Bounded> mask;  // [B, H, T, S]
};

inline MultiHeadReferenceGradients multi_head_gradients(const Table<Bounded>& d_out,
                                                        const Table<Bounded>& x,
                                                        const Table<Bounded>& context,
                                                        const Table<Bounded>& value_context,
                                                        const MultiHeadTables<Bounded>& w,
                                                        const MultiHeadSetting& at) {
  const Index T = x.rows / at.batches, S = context.rows / at.batches;
  const Index D = w.query.rows / at.heads, group = at.heads / at.kv_heads;
  const Bounded scale =
      at.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(D))));
  const MultiHeadForward<Bounded> f = multi_head_reference(x, context, value_context, w, at);
  const LinearReferenceGradients last = linear_gradients(d_out, f.joined, w.out);
  MultiHeadReferenceGradients d;
  d.weights.out = last.weight, d.weights.out_bias = last.bias;

  using Sums = std::vector<Sum<Bounded>>;
  Sums query(f.query.values.size()), key(f.key.values.size()), value(f.value.values.size());
  const auto place = [](const Table<Bounded>& table, Index n, Index m) {
    return static_cast<std::size_t>(n * table.cols + m);
  };
  std::size_t row = 0;
  for (Index b = 0; b < at.batches; ++b) {
    for (Index h = 0; h < at.heads; ++h) {
      for (Index t = 0; t < T; ++t, ++row) {
        const Index n = b * T + t, own = h * D, shared = h / group * D;
        Sum<Bounded> delta;
        for (Index c = 0; c < D; ++c) delta.add(last.x(n, own + c) * f.joined(n, own + c));
        for (Index s = 0; s < S; ++s) {
          const Index m = b * S + s;
          const double bias = at.bias(b, h, t, s);
          if (bias == kUnseen || !f.log_sum_exp[row]) {
            d.mask.emplace_back(0);
            continue;
          }
          const Bounded score = f.scores[row][static_cast<std::size_t>(s)];
          const Bounded weight = exp(score + Bounded(bias) - *f.log_sum_exp[row]);
          Sum<Bounded> flow;
          for (Index c = 0; c < D; ++c) flow.add(last.x(n, own + c) * f.value(m, shared + c));
          Bounded d_score = weight * (flow.value() - delta.value());
          d.mask.push_back(d_score);
          if (at.softcap > 0) {
            const Bounded share = score / Bounded(at.softcap);
            d_score = d_score * (Bounded(1) - share * share);
          }
          for (Index c = 0; c < D; ++c) {
            value[place(f.value, m, shared + c)].add(weight * last.x(n, own + c));
            query[place(f.query, n, own + c)].add(d_score * f.key(m, shared + c));
            key[place(f.key, m, shared + c)].add(d_score * f.query(n, own + c));
          }
        }
      }
    }
  }
  const auto table = [](const Table<Bounded>& form, const Sums& sums, const Bounded& factor) {
    Table<Bounded> out(form.rows, form.cols);
    for (std::size_t i = 0; i < sums.size(); ++i) out.values[i] = factor * sums[i].value();
    return out;
  };
  Table<Bounded> d_query = table(f.query, query, scale), d_key = table(f.key, key, scale);
  const Table<Bounded> d_value = table(f.value, value, 1);
  turn_heads(d_query, at.heads, T, at.rotary, -1);
  turn_heads(d_key, at.kv_heads, S, at.rotary, -1);
  const LinearReferenceGradients of_query = linear_gradients(d_query, x, w.query);
  const LinearReferenceGradients of_key = linear_gradients(d_key, context, w.key);
  const LinearReferenceGradients of_value = linear_gradients(d_value, value_context, w.value);
  d.query = d_query, d.key = d_key, d.value = d_value;
  d.weights.query = of_query.weight, d.weights.query_bias = of_query.bias;
  d.weights.key = of_key.weight, d.weights.key_bias = of_key.bias;
  d.weights.value = of_value.weight, d.weights.value_bias = of_value.bias;
  return d;
}

// The gradient of an input from all the projections that it went through, in one sum.
inline Table<Bounded> input_gradient(
    const std::vector<std::pair<const Table<Bounded>*, const Table<Bounded>*>>& projections) {
  const Table<Bounded>& first = *projections.front().second;
  Table<Bounded> out(projections.front().first->rows, first.cols);
  for (Index n = 0; n < out.rows; ++n) {
    for (Index i = 0; i < out.cols; ++i) {
      Sum<Bounded> sum;
      for (const auto& [d, weight] : projections) {
        for (Index o = 0; o < weight->rows; ++o) sum.add((*d)(n, o) * (*weight)(o, i));
      }
      out(n, i) = sum.value();
    }
  }
  return out;
}

// The tables below each other, as weights and biases are stacked.
inline Values<Bounded> stacked(const Table<Bounded>& a, const Table<Bounded>& b,
                               const Table<Bounded>& c) {
  Values<Bounded> all = a.values;
  all.insert(all.end(), b.values.begin(), b.values.end());
  all.insert(all.end(), c.values.begin(), c.values.end());
  return all;
}

}  // namespace tril::testing
