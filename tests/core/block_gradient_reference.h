// The Transformer block and its gradients, built on the references of its parts, for any scalar.
// Batches are below each other: x is [B T, C].
#pragma once

#include <tril/block/decoder_block.h>
#include <tril/block/transformer_block.h>

#include "core/multi_head_gradient_reference.h"

namespace tril::testing {

template <typename Scalar>
struct NormTables {
  Table<Scalar> weight, bias;

  NormTables() = default;
  explicit NormTables(const NormWeights& w) : weight(w.weight), bias(w.bias) {}
};

template <typename Scalar>
FeedForwardTables<Scalar> feed_forward_tables(const LinearWeights& linear1,
                                              const LinearWeights& linear2) {
  return {Table<Scalar>(linear1.weight), Table<Scalar>(linear1.bias), Table<Scalar>(linear2.weight),
          Table<Scalar>(linear2.bias)};
}

template <typename Scalar>
struct BlockTables {
  MultiHeadTables<Scalar> self_attn;
  FeedForwardTables<Scalar> feed_forward;
  NormTables<Scalar> norm1, norm2;

  BlockTables() = default;
  BlockTables(const TransformerBlockWeights& w, const MultiHeadSetting& at)
      : self_attn(w.self_attn, at.heads, at.kv_heads),
        feed_forward(feed_forward_tables<Scalar>(w.linear1, w.linear2)),
        norm1(w.norm1),
        norm2(w.norm2) {}
};

// The settings of a sublayer around f, as in block/layer.h.
struct SublayerSetting {
  NormOrder order;
  bool residuals, norms;
  double eps;

  template <typename Scalar>
  Table<Scalar> norm(const Table<Scalar>& x, const NormTables<Scalar>& w) const {
    return norms ? layer_norm_reference(x, w.weight, w.bias, eps) : x;
  }
  template <typename Scalar, typename Function>
  Table<Scalar> run(const Table<Scalar>& x, const NormTables<Scalar>& w, const Function& f) const {
    const auto with_x = [&](const Table<Scalar>& branch) {
      return residuals ? sum_of(x, branch) : branch;
    };
    return order == NormOrder::post ? norm(with_x(f(x)), w) : with_x(f(norm(x, w)));
  }
  // The gradient of x; back(d_branch, in) returns that of f's input. d_norm receives the norm's
  // gradients.
  template <typename Function, typename Backward>
  Table<Bounded> gradient(const Table<Bounded>& d_out, const Table<Bounded>& x,
                          const NormTables<Bounded>& w, const Function& f, const Backward& back,
                          NormTables<Bounded>& d_norm) const {
    const auto norm_back = [&](const Table<Bounded>& d, const Table<Bounded>& at) {
      if (!norms) return d;
      const LinearReferenceGradients all = layer_norm_gradients(d, at, w.weight, eps);
      d_norm.weight = all.weight, d_norm.bias = all.bias;
      return all.x;
    };
    if (order == NormOrder::post) {
      const Table<Bounded> branch = f(x);
      const Table<Bounded> d = norm_back(d_out, residuals ? sum_of(x, branch) : branch);
      const Table<Bounded> d_in = back(d, x);
      return residuals ? sum_of(d_in, d) : d_in;
    }
    const Table<Bounded> d_in = norm_back(back(d_out, norm(x, w)), x);
    return residuals ? sum_of(d_in, d_out) : d_in;
  }
};

template <typename Scalar>
Table<Scalar> attend_reference(const Table<Scalar>& x, const MultiHeadTables<Scalar>& w,
                               const MultiHeadSetting& at) {
  return multi_head_reference(x, x, x, w, at).out;
}

// The core's dropout in a block with `tokens` rows per batch.
struct BlockKept {
  std::optional<DropoutPlaces> places = {};
  Index tokens = 0;

  // The factors for a table [rows, cols] at a place.
  Table<double> table(Index place, Index rows, Index cols) const {
    return places ? kept_by(places->at(place, tokens), rows, cols) : Table<double>();
  }
  template <typename Scalar>
  Table<Scalar> operator()(const Table<Scalar>& x, Index place) const {
    return kept_of(x, table(place, x.rows, x.cols));
  }
  // The settings of attention with dropout of its weights over this many keys.
  MultiHeadSetting setting(MultiHeadSetting at, Index place, Index keys) const {
    if (places) {
      at.kept = kept_by(places->at(place, at.heads * tokens), at.batches * at.heads * tokens, keys);
    }
    return at;
  }
};

template <typename Scalar>
Table<Scalar> block_reference(const Table<Scalar>& x, const BlockTables<Scalar>& w,
                              const SublayerSetting& sublayer, const MultiHeadSetting& at,
                              Activation activation, const BlockKept& kept = {}) {
  const auto attend = [&](const Table<Scalar>& in) {
    return kept(attend_reference(in, w.self_attn, kept.setting(at, 0, kept.tokens)), 1);
  };
  const auto feed = [&](const Table<Scalar>& in) {
    const Table<double> activated = kept.table(2, in.rows, w.feed_forward.weight2.cols);
    return kept(any_feed_forward_reference(in, w.feed_forward, activation, activated), 3);
  };
  return sublayer.run(sublayer.run(x, w.norm1, attend), w.norm2, feed);
}

struct BlockReferenceGradients {
  Table<Bounded> x;
  BlockTables<Bounded> weights;
  Values<Bounded> mask;
};
inline BlockReferenceGradients block_gradients(const Table<Bounded>& d_out, const Table<Bounded>& x,
                                               const BlockTables<Bounded>& w,
                                               const SublayerSetting& sublayer,
                                               const MultiHeadSetting& at, Activation activation) {
  BlockReferenceGradients d;
  const auto attend = [&](const Table<Bounded>& in) {
    return attend_reference(in, w.self_attn, at);
  };
  const auto attend_back = [&](const Table<Bounded>& d_branch, const Table<Bounded>& in) {
    const MultiHeadReferenceGradients all =
        multi_head_gradients(d_branch, in, in, in, w.self_attn, at);
    d.weights.self_attn = all.weights, d.mask = all.mask;
    return input_gradient({{&all.query, &w.self_attn.query},
                           {&all.key, &w.self_attn.key},
                           {&all.value, &w.self_attn.value}});
  };
  const auto feed = [&](const Table<Bounded>& in) {
    return feed_forward_reference(in, w.feed_forward, activation);
  };
  const auto feed_back = [&](const Table<Bounded>& d_branch, const Table<Bounded>& in) {
    const FeedForwardReferenceGradients all =
        feed_forward_gradients(d_branch, in, w.feed_forward, activation);
    d.weights.feed_forward = all.weights;
    return all.x;
  };
  const Table<Bounded> between = sublayer.run(x, w.norm1, attend);
  const Table<Bounded> d_between =
      sublayer.gradient(d_out, between, w.norm2, feed, feed_back, d.weights.norm2);
  d.x = sublayer.gradient(d_between, x, w.norm1, attend, attend_back, d.weights.norm1);
  return d;
}

// The decoder's block: the same with cross-attention in the middle. Each of its settings has
// batches, heads and a mask.
template <typename Scalar>
struct DecoderTables {
  MultiHeadTables<Scalar> self_attn, multihead_attn;
  FeedForwardTables<Scalar> feed_forward;
  NormTables<Scalar> norm1, norm2, norm3;

  DecoderTables() = default;
  DecoderTables(const DecoderBlockWeights& w, const MultiHeadSetting& at)
      : self_attn(w.self_attn, at.heads, at.kv_heads),
        multihead_attn(w.multihead_attn, at.heads, at.kv_heads),
        feed_forward(feed_forward_tables<Scalar>(w.linear1, w.linear2)),
        norm1(w.norm1),
        norm2(w.norm2),
        norm3(w.norm3) {}
};

template <typename Scalar>
Table<Scalar> decoder_reference(const Table<Scalar>& x, const Table<Scalar>& memory,
                                const DecoderTables<Scalar>& w, const SublayerSetting& sublayer,
                                const MultiHeadSetting& self, const MultiHeadSetting& cross,
                                Activation activation, const BlockKept& kept = {}) {
  const auto attend = [&](const Table<Scalar>& in) {
    return kept(attend_reference(in, w.self_attn, kept.setting(self, 0, kept.tokens)), 1);
  };
  const auto across = [&](const Table<Scalar>& in) {
    const MultiHeadSetting at = kept.setting(cross, 2, memory.rows / cross.batches);
    return kept(multi_head_reference(in, memory, memory, w.multihead_attn, at).out, 3);
  };
  const auto feed = [&](const Table<Scalar>& in) {
    const Table<double> activated = kept.table(4, in.rows, w.feed_forward.weight2.cols);
    return kept(any_feed_forward_reference(in, w.feed_forward, activation, activated), 5);
  };
  return sublayer.run(sublayer.run(sublayer.run(x, w.norm1, attend), w.norm2, across), w.norm3,
                      feed);
}

struct DecoderReferenceGradients {
  Table<Bounded> x, memory;
  DecoderTables<Bounded> weights;
};
inline DecoderReferenceGradients decoder_gradients(
    const Table<Bounded>& d_out, const Table<Bounded>& x, const Table<Bounded>& memory,
    const DecoderTables<Bounded>& w, const SublayerSetting& sublayer, const MultiHeadSetting& self,
    const MultiHeadSetting& cross, Activation activation) {
  DecoderReferenceGradients d;
  const auto attend = [&](const Table<Bounded>& in) {
    return attend_reference(in, w.self_attn, self);
  };
  const auto attend_back = [&](const Table<Bounded>& d_branch, const Table<Bounded>& in) {
    const auto all = multi_head_gradients(d_branch, in, in, in, w.self_attn, self);
    d.weights.self_attn = all.weights;
    return input_gradient({{&all.query, &w.self_attn.query},
                           {&all.key, &w.self_attn.key},
                           {&all.value, &w.self_attn.value}});
  };
  const auto across = [&](const Table<Bounded>& in) {
    return multi_head_reference(in, memory, memory, w.multihead_attn, cross).out;
  };
  const auto across_back = [&](const Table<Bounded>& d_branch, const Table<Bounded>& in) {
    const auto all = multi_head_gradients(d_branch, in, memory, memory, w.multihead_attn, cross);
    d.weights.multihead_attn = all.weights;
    d.memory =
        input_gradient({{&all.key, &w.multihead_attn.key}, {&all.value, &w.multihead_attn.value}});
    return input_gradient({{&all.query, &w.multihead_attn.query}});
  };
  const auto feed = [&](const Table<Bounded>& in) {
    return feed_forward_reference(in, w.feed_forward, activation);
  };
  const auto feed_back = [&](const Table<Bounded>& d_branch, const Table<Bounded>& in) {
    const auto all = feed_forward_gradients(d_branch, in, w.feed_forward, activation);
    d.weights.feed_forward = all.weights;
    return all.x;
  };
  const Table<Bounded> looked_back = sublayer.run(x, w.norm1, attend);
  const Table<Bounded> looked_across = sublayer.run(looked_back, w.norm2, across);
  const Table<Bounded> d_across =
      sublayer.gradient(d_out, looked_across, w.norm3, feed, feed_back, d.weights.norm3);
  const Table<Bounded> d_back =
      sublayer.gradient(d_across, looked_back, w.norm2, across, across_back, d.weights.norm2);
  d.x = sublayer.gradient(d_back, x, w.norm1, attend, attend_back, d.weights.norm1);
  return d;
}

// Visits the parameters of multi-head attention in the order of for_each_parameter.
template <typename Scalar, typename Visit>
void visit_tables(MultiHeadTables<Scalar>& w, const Visit& visit) {
  for (Table<Scalar>* each : {&w.query, &w.key, &w.value, &w.query_bias, &w.key_bias, &w.value_bias,
                              &w.out, &w.out_bias}) {
    visit(*each);
  }
}
template <typename Scalar, typename Visit>
void visit_tables(FeedForwardTables<Scalar>& w, const Visit& visit) {
  for (Table<Scalar>* each : {&w.weight1, &w.bias1, &w.weight2, &w.bias2}) visit(*each);
}
template <typename Scalar, typename Visit>
void visit_tables(NormTables<Scalar>& w, const Visit& visit) {
  visit(w.weight), visit(w.bias);
}
template <typename Scalar, typename Visit>
void visit_tables(BlockTables<Scalar>& w, const Visit& visit) {
  visit_tables(w.self_attn, visit), visit_tables(w.feed_forward, visit);
  visit_tables(w.norm1, visit), visit_tables(w.norm2, visit);
}

template <typename Scalar, typename Visit>
void visit_tables(DecoderTables<Scalar>& w, const Visit& visit) {
  visit_tables(w.self_attn, visit), visit_tables(w.multihead_attn, visit);
  visit_tables(w.feed_forward, visit);
  visit_tables(w.norm1, visit), visit_tables(w.norm2, visit), visit_tables(w.norm3, visit);
}

// All gradients one after another, in the layout of parameters_in with stacked queries, keys and
// values.
template <typename Tables>
Values<Bounded> in_order(Tables tables) {
  Values<Bounded> all;
  visit_tables(tables, [&](const Table<Bounded>& each) {
    all.insert(all.end(), each.values.begin(), each.values.end());
  });
  return all;
}

}  // namespace tril::testing
