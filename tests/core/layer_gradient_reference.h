// The layers of a Transformer and their gradients, one element at a time, for any scalar: complex
// numbers give the loss that gradient_of differentiates, Bounded numbers the range of float
// results.
#pragma once

#include <tril/layers/dropout.h>
#include <tril/matmul/weight.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/attention_reference.h"
#include "core/bounded.h"

namespace tril::testing {

// A matrix, or a row of numbers; empty for a missing parameter.
template <typename Scalar>
struct Table {
  Index rows = 0, cols = 0;
  Values<Scalar> values = {};

  Table() = default;
  Table(Index n, Index m) : rows(n), cols(m), values(static_cast<std::size_t>(n * m)) {}
  template <typename From, int Rank>
  explicit Table(const TensorView<From, Rank>& view) {
    if (!view) return;
    cols = view.size(Rank - 1);
    const Values<double> from = elements(view);
    rows = static_cast<Index>(from.size()) / cols;
    values.assign(from.begin(), from.end());
  }
  explicit Table(const Weight& weight) : Table(weight.floats()) {}

  explicit operator bool() const { return !values.empty(); }
  Scalar& operator()(Index n, Index m) { return values[static_cast<std::size_t>(n * cols + m)]; }
  const Scalar& operator()(Index n, Index m) const {
    return values[static_cast<std::size_t>(n * cols + m)];
  }
};

// rows [first, first + count)
template <typename Scalar>
Table<Scalar> rows_of(const Table<Scalar>& x, Index first, Index count) {
  Table<Scalar> out(count, x.cols);
  std::copy_n(x.values.begin() + first * x.cols, count * x.cols, out.values.begin());
  return out;
}
template <typename Scalar>
Table<Scalar> columns_of(const Table<Scalar>& x, Index first, Index count) {
  if (!x) return {};
  Table<Scalar> out(x.rows, count);
  for (Index n = 0; n < x.rows; ++n) {
    for (Index c = 0; c < count; ++c) out(n, c) = x(n, first + c);
  }
  return out;
}

template <typename Scalar>
Table<Scalar> sum_of(const Table<Scalar>& x, const Table<Scalar>& y) {
  Table<Scalar> out = x;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = x.values[i] + y.values[i];
  return out;
}

// The factors of dropout with these options, for a table of ones. dropout_test.cc tests which are
// 0.
inline Table<double> kept_by(const DropoutOptions& options, Index rows, Index cols) {
  Buffer<float, 2> ones({rows, cols});
  std::fill_n(ones.data(), rows * cols, 1.0f);
  dropout(ones, options, ones);
  return Table<double>(ones.view());
}
// x times these factors; x itself if there are none.
template <typename Scalar>
Table<Scalar> kept_of(const Table<Scalar>& x, const Table<double>& kept) {
  Table<Scalar> out = x;
  for (std::size_t i = 0; i < kept.values.size(); ++i) {
    out.values[i] = out.values[i] * Scalar(kept.values[i]);
  }
  return out;
}

// out = x W^T + b
template <typename Scalar>
Table<Scalar> linear_reference(const Table<Scalar>& x, const Table<Scalar>& weight,
                               const Table<Scalar>& bias) {
  Table<Scalar> out(x.rows, weight.rows);
  for (Index n = 0; n < x.rows; ++n) {
    for (Index o = 0; o < weight.rows; ++o) {
      Sum<Scalar> sum;
      for (Index i = 0; i < x.cols; ++i) sum.add(x(n, i) * weight(o, i));
      if (bias) sum.add(bias(0, o));
      out(n, o) = sum.value();
    }
  }
  return out;
}

// Gradients of a parameter add up over all places where it is used.
struct LinearReferenceGradients {
  Table<Bounded> x, weight, bias;
};
inline LinearReferenceGradients linear_gradients(const Table<Bounded>& d_out,
                                                 const Table<Bounded>& x,
                                                 const Table<Bounded>& weight) {
  LinearReferenceGradients d{Table<Bounded>(x.rows, x.cols),
                             Table<Bounded>(weight.rows, weight.cols),
                             Table<Bounded>(1, weight.rows)};
  for (Index n = 0; n < x.rows; ++n) {
    for (Index i = 0; i < x.cols; ++i) {
      Sum<Bounded> sum;
      for (Index o = 0; o < weight.rows; ++o) sum.add(d_out(n, o) * weight(o, i));
      d.x(n, i) = sum.value();
    }
  }
  for (Index o = 0; o < weight.rows; ++o) {
    Sum<Bounded> all;
    for (Index n = 0; n < x.rows; ++n) all.add(d_out(n, o));
    d.bias(0, o) = all.value();
    for (Index i = 0; i < x.cols; ++i) {
      Sum<Bounded> sum;
      for (Index n = 0; n < x.rows; ++n) sum.add(d_out(n, o) * x(n, i));
      d.weight(o, i) = sum.value();
    }
  }
  return d;
}

template <typename Scalar>
Table<Scalar> activation_table(Activation activation, const Table<Scalar>& x) {
  Table<Scalar> out = x;
  for (Scalar& each : out.values) each = activation_reference(activation, each);
  return out;
}
inline Table<Bounded> activation_gradient(Activation activation, const Table<Bounded>& d_out,
                                          const Table<Bounded>& x) {
  Table<Bounded> out = x;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    out.values[i] = d_out.values[i] * activation_slope(activation, x.values[i]);
  }
  return out;
}

// The saved statistics of a row in layer_norm.
template <typename Scalar>
struct Moments {
  Scalar mean, rstd;
};
template <typename Scalar>
Moments<Scalar> moments_of(const Table<Scalar>& x, Index n, double eps) {
  using std::sqrt;
  const Scalar count = static_cast<double>(x.cols);
  Sum<Scalar> sum, squares;
  for (Index c = 0; c < x.cols; ++c) sum.add(x(n, c));
  const Scalar mean = sum.value() / count;
  for (Index c = 0; c < x.cols; ++c) squares.add((x(n, c) - mean) * (x(n, c) - mean));
  return {mean, Scalar(1.0) / sqrt(squares.value() / count + Scalar(eps))};
}
template <typename Scalar>
Table<Scalar> layer_norm_reference(const Table<Scalar>& x, const Table<Scalar>& weight,
                                   const Table<Scalar>& bias, double eps) {
  Table<Scalar> out(x.rows, x.cols);
  for (Index n = 0; n < x.rows; ++n) {
    const Moments<Scalar> at = moments_of(x, n, eps);
    for (Index c = 0; c < x.cols; ++c) {
      out(n, c) = (x(n, c) - at.mean) * at.rstd;
      if (weight) out(n, c) = out(n, c) * weight(0, c);
      if (bias) out(n, c) = out(n, c) + bias(0, c);
    }
  }
  return out;
}

// If x is wider than the weight, each part of its rows is normalised by itself.
template <typename Scalar>
Table<Scalar> rms_norm_reference(const Table<Scalar>& x, const Table<Scalar>& weight, double eps) {
  using std::sqrt;
  Table<Scalar> out = x;
  for (Index n = 0; n < x.rows; ++n) {
    for (Index first = 0; first < x.cols; first += weight.cols) {
      Sum<Scalar> squares;
      for (Index c = 0; c < weight.cols; ++c) squares.add(x(n, first + c) * x(n, first + c));
      const Scalar count = static_cast<double>(weight.cols);
      const Scalar root = sqrt(squares.value() / count + Scalar(eps));
      for (Index c = 0; c < weight.cols; ++c) {
        out(n, first + c) = x(n, first + c) / root * weight(0, c);
      }
    }
  }
  return out;
}

// d_x = rstd (g - mean of g - z mean of g z), g = d_out weight
inline LinearReferenceGradients layer_norm_gradients(const Table<Bounded>& d_out,
                                                     const Table<Bounded>& x,
                                                     const Table<Bounded>& weight, double eps) {
  const Bounded count = static_cast<double>(x.cols);
  Table<Bounded> z(x.rows, x.cols), g = d_out;
  LinearReferenceGradients d{z, Table<Bounded>(1, x.cols), Table<Bounded>(1, x.cols)};
  for (Index n = 0; n < x.rows; ++n) {
    const Moments<Bounded> at = moments_of(x, n, eps);
    Sum<Bounded> g_sum, gz_sum;
    for (Index c = 0; c < x.cols; ++c) {
      z(n, c) = (x(n, c) - at.mean) * at.rstd;
      if (weight) g(n, c) = d_out(n, c) * weight(0, c);
      g_sum.add(g(n, c));
      gz_sum.add(g(n, c) * z(n, c));
    }
    const Bounded g_mean = g_sum.value() / count, gz_mean = gz_sum.value() / count;
    for (Index c = 0; c < x.cols; ++c) {
      d.x(n, c) = at.rstd * (g(n, c) - g_mean - z(n, c) * gz_mean);
    }
  }
  for (Index c = 0; c < x.cols; ++c) {
    Sum<Bounded> of_weight, of_bias;
    for (Index n = 0; n < x.rows; ++n) {
      of_weight.add(d_out(n, c) * z(n, c));
      of_bias.add(d_out(n, c));
    }
    d.weight(0, c) = of_weight.value();
    d.bias(0, c) = of_bias.value();
  }
  return d;
}

// The parameters of a feed-forward.
template <typename Scalar>
struct FeedForwardTables {
  Table<Scalar> weight1, bias1, weight2, bias2;
};
// `kept`: the factors of the activation's outputs; empty: 1.
template <typename Scalar>
Table<Scalar> feed_forward_reference(const Table<Scalar>& x, const FeedForwardTables<Scalar>& w,
                                     Activation activation, const Table<double>& kept = {}) {
  const Table<Scalar> hidden = linear_reference(x, w.weight1, w.bias1);
  return linear_reference(kept_of(activation_table(activation, hidden), kept), w.weight2, w.bias2);
}
struct FeedForwardReferenceGradients {
  Table<Bounded> x;
  FeedForwardTables<Bounded> weights;
};
inline FeedForwardReferenceGradients feed_forward_gradients(const Table<Bounded>& d_out,
                                                            const Table<Bounded>& x,
                                                            const FeedForwardTables<Bounded>& w,
                                                            Activation activation) {
  const Table<Bounded> hidden = linear_reference(x, w.weight1, w.bias1);
  const auto second = linear_gradients(d_out, activation_table(activation, hidden), w.weight2);
  const auto first =
      linear_gradients(activation_gradient(activation, second.x, hidden), x, w.weight1);
  return {first.x, {first.weight, first.bias, second.weight, second.bias}};
}

// The gated form, with the gate's rows of weight1 above the others.
template <typename Scalar>
Table<Scalar> gate_reference(const Table<Scalar>& hidden, Activation activation) {
  const Index F = hidden.cols / 2;
  Table<Scalar> out = activation_table(activation, columns_of(hidden, 0, F));
  for (Index n = 0; n < out.rows; ++n) {
    for (Index f = 0; f < F; ++f) out(n, f) = out(n, f) * hidden(n, F + f);
  }
  return out;
}
template <typename Scalar>
Table<Scalar> gated_feed_forward_reference(const Table<Scalar>& x,
                                           const FeedForwardTables<Scalar>& w,
                                           Activation activation, const Table<double>& kept = {}) {
  const Table<Scalar> hidden = linear_reference(x, w.weight1, w.bias1);
  return linear_reference(kept_of(gate_reference(hidden, activation), kept), w.weight2, w.bias2);
}
// The gated form if the first matrix has more rows than the second has columns.
template <typename Scalar>
Table<Scalar> any_feed_forward_reference(const Table<Scalar>& x, const FeedForwardTables<Scalar>& w,
                                         Activation activation, const Table<double>& kept) {
  return w.weight1.rows == w.weight2.cols ? feed_forward_reference(x, w, activation, kept)
                                          : gated_feed_forward_reference(x, w, activation, kept);
}
inline FeedForwardReferenceGradients gated_feed_forward_gradients(
    const Table<Bounded>& d_out, const Table<Bounded>& x, const FeedForwardTables<Bounded>& w,
    Activation activation) {
  const Table<Bounded> hidden = linear_reference(x, w.weight1, w.bias1);
  const Index F = hidden.cols / 2;
  const auto second = linear_gradients(d_out, gate_reference(hidden, activation), w.weight2);
  const Table<Bounded> gate = columns_of(hidden, 0, F);
  const Table<Bounded> activated = activation_table(activation, gate);
  Table<Bounded> d_hidden(hidden.rows, hidden.cols), through = second.x;
  for (Index n = 0; n < hidden.rows; ++n) {
    for (Index f = 0; f < F; ++f) {
      through(n, f) = second.x(n, f) * hidden(n, F + f);
      d_hidden(n, F + f) = second.x(n, f) * activated(n, f);
    }
  }
  const Table<Bounded> d_gate = activation_gradient(activation, through, gate);
  for (Index n = 0; n < hidden.rows; ++n) {
    for (Index f = 0; f < F; ++f) d_hidden(n, f) = d_gate(n, f);
  }
  const auto first = linear_gradients(d_hidden, x, w.weight1);
  return {first.x, {first.weight, first.bias, second.weight, second.bias}};
}

}  // namespace tril::testing
