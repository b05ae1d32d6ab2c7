// A language model as its papers write it, for any scalar, with parameters by the names and in the
// shapes of its family's files: the reference for the floats of language_model.h, each within its
// own bound (tape.h); with complex numbers it gives the loss that gradient_of differentiates.
#pragma once

#include <tril/model/model_family.h>
#include <tril/model/model_weights.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/tape.h"

namespace tril::testing {

template <typename Scalar>
using ModelTables = std::map<std::string, Table<Scalar>>;

// The parameters of stored_parameters, in the form of a file, except that weights of norms are the
// factors of rows.
template <typename Scalar>
ModelTables<Scalar> model_tables(const ModelConfig& config,
                                 const BasicModelWeights<float>& weights) {
  ModelTables<Scalar> tables;
  for (const StoredParameter& each : stored_parameters(config, weights)) {
    const Index rows = each.shape.size() > 1 ? each.shape[0] : 1, cols = each.shape.back();
    Table<Scalar> table(rows, cols);
    StoredParameter plain = each;
    plain.added = 0;
    std::vector<float> elements(static_cast<std::size_t>(each.count()));
    plain.copy_to(elements.data());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      table.values[i] = static_cast<double>(elements[i]);
    }
    tables[each.name] = table;
  }
  return tables;
}

template <typename Scalar>
struct ModelReference {
  const ModelConfig& config;
  const ModelTables<Scalar>& tables;
  Index batches, tokens;

  Table<Scalar> get(const std::string& name) const {
    const auto at = tables.find(name);
    return at == tables.end() ? Table<Scalar>() : at->second;
  }
  static Table<Scalar> transposed(const Table<Scalar>& x) {
    Table<Scalar> out(x.cols, x.rows);
    for (Index n = 0; n < x.rows; ++n) {
      for (Index m = 0; m < x.cols; ++m) out(m, n) = x(n, m);
    }
    return out;
  }
  Table<Scalar> linear(const Table<Scalar>& x, const std::string& name, bool conv1d) const {
    const Table<Scalar> weight = get(name + ".weight");
    return linear_reference(x, conv1d ? transposed(weight) : weight, get(name + ".bias"));
  }
  Table<Scalar> norm(const Table<Scalar>& x, const std::string& name) const {
    if (config.norm == ModelNorm::none) return x;
    const Table<Scalar> weight = get(name + ".weight"), bias = get(name + ".bias");
    if (config.norm == ModelNorm::layer_norm) {
      return layer_norm_reference(x, weight, bias, config.eps);
    }
    return rms_norm_reference(x, weight, config.eps);
  }
  bool is_local(Index layer) const {
    return config.has_window(layer) && config.rotary_local_base > 0;
  }
  // Radians per position of pair i, from Hugging Face's `rope_scaling`.
  double speed(Index i, Index layer = 0) const {
    const double D = static_cast<double>(config.turned_width());
    if (is_local(layer)) {
      return std::pow(config.rotary_local_base, -2.0 * static_cast<double>(i) / D);
    }
    const RotaryScaling& scaling = config.rotary_scaling;
    const double original = static_cast<double>(scaling.original), s = scaling.factor;
    double base = config.rotary_base;
    if (scaling.kind == RotaryScalingKind::dynamic) {
      const double length = static_cast<double>(config.context);
      if (length > original) base *= std::pow(s * length / original - (s - 1), D / (D - 2));
    }
    const double speed = std::pow(base, -2.0 * static_cast<double>(i) / D);
    if (scaling.kind == RotaryScalingKind::linear) return speed / s;
    if (scaling.kind == RotaryScalingKind::longrope) {
      const bool is_long = tokens > scaling.original;
      return speed / (is_long ? scaling.long_factors : scaling.short_factors)
                         .at(static_cast<std::size_t>(i));
    }
    if (scaling.kind != RotaryScalingKind::llama3) return speed;
    const double wavelength = 2 * std::acos(-1.0) / speed;
    if (wavelength < original / scaling.high) return speed;
    if (wavelength > original / scaling.low) return speed / s;
    const double smooth = (original / wavelength - scaling.low) / (scaling.high - scaling.low);
    return (1 - smooth) * speed / s + smooth * speed;
  }
  // Rotates row n by its position: a pair has an element from each half of a head's rotated part.
  void turn(Table<Scalar>& x, Index layer = 0) const {
    const Index D = config.head_width(), half = config.turned_width() / 2;
    const RotaryScaling& scaling = config.rotary_scaling;
    const double length = scaling.kind == RotaryScalingKind::longrope ? scaling.magnitude : 1;
    for (Index n = 0; n < x.rows; ++n) {
      for (Index i = 0; i < x.cols; ++i) {
        if (i % D >= half) continue;
        const double angle = static_cast<double>(n % tokens) * speed(i % D, layer);
        const Scalar a = x(n, i), b = x(n, i + half);
        const Scalar cosine = rounded_constant<Scalar>(length * std::cos(angle));
        const Scalar sine = rounded_constant<Scalar>(length * std::sin(angle));
        x(n, i) = cosine * a - sine * b;
        x(n, i + half) = sine * a + cosine * b;
      }
    }
  }
  // c tanh(x / c), by 1 - 2 / (e^2x + 1)
  static Scalar capped(const Scalar& x, double cap) {
    using std::exp;
    if (cap == 0) return x;
    const Scalar power = exp(x * rounded_constant<Scalar>(2 / cap));
    return Scalar(cap) * (Scalar(1) - Scalar(2) / (power + Scalar(1)));
  }
  Table<Scalar> attend(Table<Scalar> q, Table<Scalar> k, const Table<Scalar>& v,
                       Index layer) const {
    using std::exp;
    if (config.has_rotary(layer)) turn(q, layer), turn(k, layer);
    const Index D = config.head_width(), group = config.heads / config.kv_head_count();
    Table<Scalar> out(q.rows, q.cols);
    for (Index n = 0; n < q.rows; ++n) {
      const Index begin = n - n % tokens, last = config.causal ? n + 1 : begin + tokens;
      const Index first = config.has_window(layer) ? std::max(begin, n + 1 - config.window) : begin;
      for (Index h = 0; h < config.heads; ++h) {
        const double over = config.query_scale > 0 ? config.query_scale : static_cast<double>(D);
        const double root = config.scaled_scores ? std::sqrt(over) : 1;
        const double deeper = config.layer_scale ? static_cast<double>(layer + 1) : 1;
        const Scalar scale = rounded_constant<Scalar>(1 / root / deeper);
        Sum<Scalar> sum;
        std::vector<Sum<Scalar>> blends(static_cast<std::size_t>(D));
        for (Index s = first; s < last; ++s) {
          Sum<Scalar> score;
          for (Index d = 0; d < D; ++d) score.add(q(n, h * D + d) * k(s, h / group * D + d));
          const Scalar power = exp(capped(score.value() * scale, config.score_cap));
          sum.add(power);
          for (Index d = 0; d < D; ++d) {
            blends[static_cast<std::size_t>(d)].add(power * v(s, h / group * D + d));
          }
        }
        const Scalar total = sum.value();
        for (Index d = 0; d < D; ++d) {
          out(n, h * D + d) = blends[static_cast<std::size_t>(d)].value() / total;
        }
      }
    }
    return out;
  }
  // A sublayer's output, added to its input, or in its place.
  Table<Scalar> behind(const Table<Scalar>& x, const Table<Scalar>& given) const {
    return config.residual ? sum_of(x, given) : given;
  }
  // Queries, keys and values after the projection.
  std::vector<Table<Scalar>> projected(const Table<Scalar>& in, const std::string& at) const {
    const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
    if (entry.projections == tril::detail::StoredProjections::apart) {
      return {linear(in, at + "q_proj", false), linear(in, at + "k_proj", false),
              linear(in, at + "v_proj", false)};
    }
    const Index E = config.query_width(), Ek = config.key_width(), D = config.head_width();
    const Table<Scalar> all = linear(in, at + entry.query_key_value, entry.transposed);
    if (entry.projections == tril::detail::StoredProjections::stacked) {
      return {columns_of(all, 0, E), columns_of(all, E, Ek), columns_of(all, E + Ek, Ek)};
    }
    std::vector<Table<Scalar>> parts(3, Table<Scalar>(all.rows, E));
    for (Index n = 0; n < all.rows; ++n) {
      for (Index i = 0; i < 3 * E; ++i) {
        const Index head = i / (3 * D), part = i / D % 3;
        parts[static_cast<std::size_t>(part)](n, head * D + i % D) = all(n, i);
      }
    }
    return parts;
  }
  Table<Scalar> attention(const Table<Scalar>& in, const std::string& layer_at, Index n) const {
    const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
    const std::string at = layer_at + entry.attention;
    const auto normed = [&](const Table<Scalar>& heads, const std::string& name) {
      const Table<Scalar> weight = get(at + name + ".weight");
      return weight ? rms_norm_reference(heads, weight, config.eps) : heads;
    };
    const std::vector<Table<Scalar>> parts = projected(in, at);
    const Table<Scalar> heads =
        attend(normed(parts[0], "q_norm"), normed(parts[1], "k_norm"), parts[2], n);
    return linear(heads, at + entry.attention_out, entry.transposed);
  }
  Table<Scalar> feed_forward(const Table<Scalar>& in, const std::string& at) const {
    const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
    const Index F = config.hidden_width();
    Table<Scalar> up = linear(in, at + entry.up, entry.transposed), gate = up;
    if (config.is_gated() && entry.gate) gate = linear(in, at + entry.gate, false);
    if (config.is_gated() && !entry.gate) gate = columns_of(up, 0, F), up = columns_of(up, F, F);
    gate = activation_table(config.activation(), gate);
    for (std::size_t i = 0; config.is_gated() && i < gate.values.size(); ++i) {
      gate.values[i] = gate.values[i] * up.values[i];
    }
    return linear(gate, at + entry.down, entry.transposed);
  }
  Table<Scalar> layer(const Table<Scalar>& x, Index n) const {
    const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
    const std::string at = entry.layers + std::to_string(n) + ".";
    const auto given = [&](const Table<Scalar>& to, const char* name) {
      return config.norms_inputs() ? norm(to, at + name) : to;
    };
    const auto added = [&](const Table<Scalar>& of, const char* name) {
      return config.norms_outputs() ? norm(of, at + name) : of;
    };
    const Table<Scalar> mid =
        behind(x, added(attention(given(x, entry.norm1), at, n), entry.branch_norm1));
    const Table<Scalar> branch =
        added(feed_forward(given(config.parallel ? x : mid, entry.norm2), at), entry.branch_norm2);
    return config.parallel ? sum_of(mid, branch) : behind(mid, branch);
  }
  Table<Scalar> logits(const std::vector<std::int32_t>& ids) const {
    const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
    const Table<Scalar> embedding = get(entry.embedding), positions = get(entry.positions);
    const Scalar root = rounded_constant<Scalar>(std::sqrt(static_cast<double>(config.width)));
    Table<Scalar> x(batches * tokens, config.width);
    for (Index n = 0; n < x.rows; ++n) {
      for (Index c = 0; c < x.cols; ++c) {
        x(n, c) = embedding(ids[static_cast<std::size_t>(n)], c);
        if (config.scaled_embedding) x(n, c) = x(n, c) * root;
        if (positions) x(n, c) += positions(n % tokens, c);
      }
    }
    for (Index n = 0; n < config.layers; ++n) x = layer(x, n);
    const Table<Scalar> head = get(entry.head);
    Table<Scalar> all = linear_reference(norm(x, entry.final_norm), head ? head : embedding, {});
    for (Scalar& each : all.values) each = capped(each, config.logit_cap);
    return all;
  }
  // The sum of the losses of targets that are not below 0.
  Scalar loss(const std::vector<std::int32_t>& ids,
              const std::vector<std::int32_t>& targets) const {
    using std::exp, std::log;
    const Table<Scalar> all = logits(ids);
    Sum<Scalar> total;
    for (Index n = 0; n < all.rows; ++n) {
      const std::int32_t target = targets[static_cast<std::size_t>(n)];
      if (target < 0) continue;
      Sum<Scalar> sum;
      for (Index v = 0; v < all.cols; ++v) sum.add(exp(all(n, v)));
      total.add(log(sum.value()) - all(n, target));
    }
    return total.value();
  }
};

// Every nth number.
template <typename T>
Values<T> sampled(const Values<T>& all, std::size_t every) {
  Values<T> some;
  for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

// The logits of batches of equal lengths, one below the other, with the bounds of floats.
inline Values<Bounded> bounded_logits(const ModelConfig& config,
                                      const BasicModelWeights<float>& weights, Index batches,
                                      const std::vector<std::int32_t>& ids, std::size_t every = 1) {
  Tape<double> tape;
  const auto tables = model_tables<Rounded>(config, weights);
  const ModelReference<Rounded> reference{config, tables, batches,
                                          static_cast<Index>(ids.size()) / batches};
  return tape.bounded(sampled(reference.logits(ids).values, every));
}

}  // namespace tril::testing
