// A language model as its papers write it, for any scalar, on parameters by the names and in the
// shapes of its family's files: what the floats of language_model.h are checked against, each
// within its own bound (tape.h); and, with complex numbers, the loss that gradient_of
// differentiates.
#pragma once

#include <tril/model/model_weights.h>

#include <map>
#include <string>
#include <vector>

#include "core/tape.h"

namespace tril::testing {

template <typename Scalar>
using ModelTables = std::map<std::string, Table<Scalar>>;

// What stored_parameters lists, as a file would have it.
template <typename Scalar>
ModelTables<Scalar> model_tables(const ModelConfig& config,
                                 const BasicModelWeights<float>& weights) {
  ModelTables<Scalar> tables;
  for (const StoredParameter& each : stored_parameters(config, weights)) {
    const Index rows = each.shape.size() > 1 ? each.shape[0] : 1, cols = each.shape.back();
    Table<Scalar> table(rows, cols);
    for (Index n = 0; n < rows; ++n) {
      for (Index m = 0; m < cols; ++m) {
        table(n, m) = static_cast<double>(each.transposed ? each.data[m * rows + n]
                                                          : each.data[n * cols + m]);
      }
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
  // Radians a position of pair i, as Hugging Face's `rope_scaling` says.
  double speed(Index i) const {
    const double D = static_cast<double>(config.head_width());
    const RotaryScaling& scaling = config.rotary_scaling;
    const double original = static_cast<double>(scaling.original), s = scaling.factor;
    double base = config.rotary_base;
    if (scaling.kind == RotaryScalingKind::dynamic) {
      const double length = static_cast<double>(config.context);
      if (length > original) base *= std::pow(s * length / original - (s - 1), D / (D - 2));
    }
    const double speed = std::pow(base, -2.0 * static_cast<double>(i) / D);
    if (scaling.kind == RotaryScalingKind::linear) return speed / s;
    if (scaling.kind != RotaryScalingKind::llama3) return speed;
    const double wavelength = 2 * std::acos(-1.0) / speed;
    if (wavelength < original / scaling.high) return speed;
    if (wavelength > original / scaling.low) return speed / s;
    const double smooth = (original / wavelength - scaling.low) / (scaling.high - scaling.low);
    return (1 - smooth) * speed / s + smooth * speed;
  }
  // Row n turned by its position: pairs are halves of each head.
  void turn(Table<Scalar>& x) const {
    const Index D = config.head_width(), half = D / 2;
    for (Index n = 0; n < x.rows; ++n) {
      for (Index i = 0; i < x.cols; ++i) {
        if (i % D >= half) continue;
        const double angle = static_cast<double>(n % tokens) * speed(i % D);
        const Scalar a = x(n, i), b = x(n, i + half);
        const Scalar cosine = rounded_constant<Scalar>(std::cos(angle));
        const Scalar sine = rounded_constant<Scalar>(std::sin(angle));
        x(n, i) = cosine * a - sine * b;
        x(n, i + half) = sine * a + cosine * b;
      }
    }
  }
  Table<Scalar> attend(Table<Scalar> q, Table<Scalar> k, const Table<Scalar>& v) const {
    using std::exp;
    if (config.positions == ModelPositions::rotary) turn(q), turn(k);
    const Index D = config.head_width(), group = config.heads / config.kv_head_count();
    Table<Scalar> out(q.rows, q.cols);
    for (Index n = 0; n < q.rows; ++n) {
      const Index first = n - n % tokens, last = config.causal ? n + 1 : first + tokens;
      for (Index h = 0; h < config.heads; ++h) {
        const double root = config.scaled_scores ? std::sqrt(static_cast<double>(D)) : 1;
        const Scalar scale = rounded_constant<Scalar>(1 / root);
        Sum<Scalar> sum;
        std::vector<Sum<Scalar>> blends(static_cast<std::size_t>(D));
        for (Index s = first; s < last; ++s) {
          Sum<Scalar> score;
          for (Index d = 0; d < D; ++d) score.add(q(n, h * D + d) * k(s, h / group * D + d));
          const Scalar power = exp(score.value() * scale);
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
  // What a sublayer gives, added to what it was given, or in its place.
  Table<Scalar> behind(const Table<Scalar>& x, const Table<Scalar>& given) const {
    return config.residual ? sum_of(x, given) : given;
  }
  Table<Scalar> layer(Table<Scalar> x, const std::string& at) const {
    const bool gpt2 = config.family == ModelFamily::gpt2;
    const Index E = config.query_width(), Ek = config.key_width();
    const auto normed = [&](const Table<Scalar>& heads, const std::string& name) {
      const Table<Scalar> weight = get(name + ".weight");
      return weight ? rms_norm_reference(heads, weight, config.eps) : heads;
    };
    const Table<Scalar> in = norm(x, at + (gpt2 ? "ln_1" : "input_layernorm"));
    if (gpt2) {
      const Table<Scalar> all = linear(in, at + "attn.c_attn", true);
      const Table<Scalar> heads =
          attend(columns_of(all, 0, E), columns_of(all, E, Ek), columns_of(all, E + Ek, Ek));
      x = behind(x, linear(heads, at + "attn.c_proj", true));
    } else {
      const std::string attn = at + "self_attn.";
      const Table<Scalar> heads =
          attend(normed(linear(in, attn + "q_proj", false), attn + "q_norm"),
                 normed(linear(in, attn + "k_proj", false), attn + "k_norm"),
                 linear(in, attn + "v_proj", false));
      x = behind(x, linear(heads, attn + "o_proj", false));
    }
    const Table<Scalar> mid = norm(x, at + (gpt2 ? "ln_2" : "post_attention_layernorm"));
    if (gpt2) {
      const auto hidden =
          activation_table(Activation::gelu_tanh, linear(mid, at + "mlp.c_fc", true));
      return behind(x, linear(hidden, at + "mlp.c_proj", true));
    }
    Table<Scalar> gate =
        activation_table(Activation::silu, linear(mid, at + "mlp.gate_proj", false));
    const Table<Scalar> up = linear(mid, at + "mlp.up_proj", false);
    for (std::size_t i = 0; i < gate.values.size(); ++i) {
      gate.values[i] = gate.values[i] * up.values[i];
    }
    return behind(x, linear(gate, at + "mlp.down_proj", false));
  }
  Table<Scalar> logits(const std::vector<std::int32_t>& ids) const {
    const bool gpt2 = config.family == ModelFamily::gpt2;
    const Table<Scalar> embedding = get(gpt2 ? "wte.weight" : "model.embed_tokens.weight");
    const Table<Scalar> positions = get("wpe.weight");
    Table<Scalar> x(batches * tokens, config.width);
    for (Index n = 0; n < x.rows; ++n) {
      for (Index c = 0; c < x.cols; ++c) {
        x(n, c) = embedding(ids[static_cast<std::size_t>(n)], c);
        if (positions) x(n, c) += positions(n % tokens, c);
      }
    }
    for (Index n = 0; n < config.layers; ++n) {
      x = layer(x, (gpt2 ? "h." : "model.layers.") + std::to_string(n) + ".");
    }
    const Table<Scalar> head = get("lm_head.weight");
    return linear_reference(norm(x, gpt2 ? "ln_f" : "model.norm"), head ? head : embedding, {});
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

// Every nth.
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
