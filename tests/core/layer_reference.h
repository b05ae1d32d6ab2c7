// One Transformer layer as the authors of today's families write it, for any scalar: the reference
// for the floats of block/layer.h, each within its own bound (tape.h).
#pragma once

#include <tril/block/layer.h>

#include <map>
#include <string>

#include "core/block_gradient_reference.h"

namespace tril::testing {

// The family of the layer. Each is a line of LayerReference::run.
enum class LayerForm { qwen3, gemma, olmo2, neox, phi, across };

template <typename Scalar>
struct LayerReference {
  LayerForm form;
  const tril::detail::Layer& layer;
  std::map<std::string, Table<Scalar>> tables;  // by the names of for_each_parameter
  Index batches, tokens;
  Table<Scalar> x, memory;

  LayerReference(LayerForm of, const tril::detail::Layer& bound,
                 const TensorView<const float, 3>& input)
      : form(of), layer(bound), batches(input.size(0)), tokens(input.size(1)), x(input) {
    if (layer.crosses) memory = Table<Scalar>(layer.cross_attention.context);
    for_each_parameter(layer.weights, [&](const ParameterName& name, const auto& view) {
      if (view) tables[name.text()] = Table<Scalar>(view);
    });
  }
  Table<Scalar> get(const std::string& name) const {
    const auto at = tables.find(name);
    return at == tables.end() ? Table<Scalar>() : at->second;
  }
  BlockKept kept() const {
    if (!layer.dropout) return {};
    return {layer.dropout->places, tokens};
  }

  Table<Scalar> norm(const Table<Scalar>& of, const std::string& name) const {
    const Table<Scalar> weight = get(name + ".weight");
    return layer.norm == NormKind::rms_norm
               ? rms_norm_reference(of, weight, layer.eps)
               : layer_norm_reference(of, weight, get(name + ".bias"), layer.eps);
  }
  // Attention over x's tokens, or cross-attention to `from` if it is given.
  Table<Scalar> attend(const Table<Scalar>& in, const std::string& name,
                       const MultiHeadOptions& options, const Table<Scalar>& from) const {
    const Index H = options.heads, Hk = options.kv_heads == 0 ? H : options.kv_heads;
    const Table<Scalar> all = get(name + ".in_proj_weight"), bias = get(name + ".in_proj_bias");
    const Index D = all.rows / (H + 2 * Hk), E = H * D, Ek = Hk * D;
    MultiHeadTables<Scalar> w;
    w.query = rows_of(all, 0, E), w.key = rows_of(all, E, Ek), w.value = rows_of(all, E + Ek, Ek);
    w.query_bias = columns_of(bias, 0, E), w.key_bias = columns_of(bias, E, Ek);
    w.value_bias = columns_of(bias, E + Ek, Ek);
    w.out = get(name + ".out_proj.weight"), w.out_bias = get(name + ".out_proj.bias");
    w.q_norm = get(name + ".q_norm.weight"), w.k_norm = get(name + ".k_norm.weight");
    MultiHeadSetting at{.batches = batches, .heads = H, .kv_heads = Hk, .rotary = options.rotary};
    at.norm_eps = options.norm_eps;
    if (options.attention.causal) {
      at.bias = [](Index, Index, Index t, Index s) { return s <= t ? 0 : kUnseen; };
    }
    if (options.attention.softcap > 0) at.softcap = static_cast<double>(options.attention.softcap);
    return multi_head_reference(in, from, from, w, kept().setting(at, 0, tokens)).out;
  }
  Table<Scalar> attend(const Table<Scalar>& in) const {
    return kept()(attend(in, "self_attn", layer.self_attention, in), 1);
  }
  Table<Scalar> feed(const Table<Scalar>& in) const {
    const FeedForwardTables<Scalar> w = {get("linear1.weight"), get("linear1.bias"),
                                         get("linear2.weight"), get("linear2.bias")};
    return kept()(any_feed_forward_reference(in, w, layer.activation, {}), 3);
  }

  Table<Scalar> run() const {
    if (form == LayerForm::qwen3) {
      const Table<Scalar> y = sum_of(x, attend(norm(x, "norm1")));
      return sum_of(y, feed(norm(y, "norm2")));
    }
    if (form == LayerForm::gemma) {
      const Table<Scalar> y = sum_of(x, norm(attend(norm(x, "norm1")), "branch_norm1"));
      return sum_of(y, norm(feed(norm(y, "norm2")), "branch_norm2"));
    }
    if (form == LayerForm::olmo2) {
      const Table<Scalar> y = sum_of(x, norm(attend(x), "branch_norm1"));
      return sum_of(y, norm(feed(y), "branch_norm2"));
    }
    if (form == LayerForm::neox) {
      return sum_of(sum_of(x, attend(norm(x, "norm1"))), feed(norm(x, "norm2")));
    }
    if (form == LayerForm::phi) {
      const Table<Scalar> normed = norm(x, "norm1");
      return sum_of(sum_of(x, attend(normed)), feed(normed));
    }
    // The form of no family: all sublayers, each with both of its norms.
    const Table<Scalar> y = sum_of(x, norm(attend(norm(x, "norm1")), "branch_norm1"));
    const Table<Scalar> across =
        attend(norm(y, "norm2"), "multihead_attn", layer.cross_attention, memory);
    const Table<Scalar> z = sum_of(y, norm(across, "branch_norm2"));
    return sum_of(z, norm(feed(norm(z, "norm3")), "branch_norm3"));
  }
};

}  // namespace tril::testing
