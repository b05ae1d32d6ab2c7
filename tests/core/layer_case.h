// Helpers for the tests of the Transformer layer: a layer of each of today's families with all
// inputs and outputs of its backward pass, and its expected results.
#pragma once

#include <tril/block/layer.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/backward_case.h"
#include "core/golden.h"
#include "core/layer_reference.h"
#include "core/tape.h"

namespace tril::testing {

using tril::detail::Layer, tril::detail::LayerGradients;

struct LayerFamily {
  std::string name;
  LayerForm form;
  Index heads, kv_heads;
  bool head_norms = false;   // norms of queries and keys, for each head by itself
  bool whole_norms = false;  // for all heads together
  Index rotary_width = 0;    // 0: all of a head
  double dropout = 0;
};

inline const LayerFamily kLayerFamilies[] = {
    {"Qwen3", LayerForm::qwen3, 4, 2, true},
    {"Gemma 2", LayerForm::gemma, 4, 2},
    {"Gemma 3", LayerForm::gemma, 4, 1, true},
    {"OLMo 2", LayerForm::olmo2, 2, 2, false, true},
    {"GPT-NeoX", LayerForm::neox, 2, 2, false, false, 2},
    {"Phi", LayerForm::phi, 2, 2, false, false, 2},
    {"across", LayerForm::across, 2, 2, true},
    {"Gemma in training", LayerForm::gemma, 2, 1, true, false, 0, 0.25},
    {"GPT-NeoX in training", LayerForm::neox, 2, 2, false, false, 2, 0.25},
};

// A layer of a family, its input and the gradient of its output, and all outputs of a backward
// pass.
struct LayerCase {
  static constexpr Index D = 4, C = 6, F = 5;
  LayerFamily family;
  Buffer<float, 3> x, memory, d_out, out, d_x, d_memory;
  Buffer<float, 1> values, d_values, saved;
  Layer layer;
  LayerGradients gradients;
  Scratch scratch;

  explicit LayerCase(const LayerFamily& of, Index batches = 2, Index tokens = 3) : family(of) {
    Random random(170);
    x = uniform<3>({batches, tokens, C}, random), d_out = uniform<3>(x.shape(), random);
    memory = uniform<3>({batches, tokens + 1, C}, random);
    out = Buffer<float, 3>(x.shape()), d_x = Buffer<float, 3>(x.shape());
    d_memory = Buffer<float, 3>(memory.shape());
    const BasicLayerWeights<float> form = form_of(of);
    values = uniform<1>({parameter_count(form)}, random),
    d_values = Buffer<float, 1>(values.shape());
    const auto weights = small_weights(form);
    layer.weights = parameters_as<BasicLayerWeights<const float>>(weights);
    gradients = {.d_x = d_x,
                 .weights = parameters_in<BasicLayerWeights<float>>(d_values.data(), form)};
    if (of.form == LayerForm::across) gradients.d_memory = d_memory;
    if (of.form == LayerForm::phi) layer.weights.norm2 = layer.weights.norm1;
    set_options();
  }

  // The weights that the family has, without their numbers.
  static BasicLayerWeights<float> form_of(const LayerFamily& of) {
    static float nothing = 0;
    const Index E = of.heads * D, Ek = of.kv_heads * D;
    const auto vector = [](Index n) { return VectorView<float>(&nothing, {n}); };
    const auto matrix = [](Index out, Index in) { return MatrixView<float>(&nothing, {out, in}); };
    const bool is_layer_norm = of.form == LayerForm::neox || of.form == LayerForm::phi;
    const bool is_gated = !is_layer_norm;
    const auto norm = [&](bool is_there) {
      BasicNormWeights<float> weights;
      if (is_there) weights.weight = vector(C);
      if (is_there && is_layer_norm) weights.bias = vector(C);
      return weights;
    };
    const auto attention = [&] {
      BasicMultiHeadWeights<float> weights;
      weights.in_proj_weight = matrix(E + 2 * Ek, C), weights.out_proj_weight = matrix(C, E);
      if (is_layer_norm) weights.in_proj_bias = vector(E + 2 * Ek);
      if (of.head_norms) weights.q_norm = vector(D), weights.k_norm = vector(D);
      if (of.whole_norms) weights.q_norm = vector(E), weights.k_norm = vector(Ek);
      return weights;
    };
    const bool crosses = of.form == LayerForm::across;
    const bool of_inputs = of.form != LayerForm::olmo2;
    const bool of_branches = of.form == LayerForm::gemma || of.form == LayerForm::olmo2 || crosses;
    BasicLayerWeights<float> form;
    form.self_attn = attention();
    if (crosses) form.multihead_attn = attention();
    form.linear1.weight = matrix(is_gated ? 2 * F : F, C), form.linear2.weight = matrix(C, F);
    if (is_layer_norm) form.linear1.bias = vector(F), form.linear2.bias = vector(C);
    form.norm1 = norm(of_inputs), form.norm2 = norm(of_inputs), form.norm3 = norm(crosses);
    form.branch_norm1 = norm(of_branches), form.branch_norm2 = norm(of_branches);
    form.branch_norm3 = norm(crosses);
    return form;
  }
  // Matrices of at most 0.5, weights of norms around 1.
  BasicLayerWeights<float> small_weights(const BasicLayerWeights<float>& form) {
    const auto weights = parameters_in<BasicLayerWeights<float>>(values.data(), form);
    for_each_parameter(weights, [](const ParameterName& name, const auto& view) {
      if (!view) return;
      const bool scales = name.text().find("norm") != std::string::npos &&
                          name.text().find("weight") != std::string::npos;
      for (Index i = 0; i < view.count(); ++i) {
        view.data()[i] = scales ? 1 + view.data()[i] / 4 : view.data()[i] / 2;
      }
    });
    return weights;
  }
  void set_options() {
    const LayerForm form = family.form;
    const bool is_parallel = form == LayerForm::neox || form == LayerForm::phi;
    layer.order = NormOrder::pre;
    if (form == LayerForm::olmo2) layer.order.reset();
    layer.crosses = form == LayerForm::across;
    layer.branch_norms = form == LayerForm::gemma || form == LayerForm::olmo2 || layer.crosses;
    layer.parallel = is_parallel;
    layer.norm = is_parallel ? NormKind::layer_norm : NormKind::rms_norm;
    layer.eps = 0.01;  // large enough to reveal a wrong one
    layer.gated = !is_parallel;
    layer.activation =
        is_parallel || form == LayerForm::gemma ? Activation::gelu_tanh : Activation::silu;
    MultiHeadOptions& self = layer.self_attention;
    self.heads = family.heads, self.kv_heads = family.kv_heads;
    self.norm_eps = 0.02;
    self.rotary = MultiHeadRotary{.base = 30, .width = family.rotary_width};
    self.attention.causal = true;
    if (form == LayerForm::gemma) self.attention.softcap = 2;
    layer.cross_attention = self;
    layer.cross_attention.context = memory;
    layer.cross_attention.rotary.reset(), layer.cross_attention.attention.causal = false;
    if (family.dropout > 0) {
      layer.dropout = {
          .places = {family.dropout, 21}, .self_weights = 0, .self = 1, .feed_forward = 3};
    }
  }

  void forward(int threads = 1) {
    layer.trace = saved_in(saved, [&](SavedMemory& place) {
      Layer laid_out = layer;
      laid_out.trace = {};
      laid_out.lay_out("layer", x.shape(), place);
      return laid_out.trace;
    });
    Parallel parallel(threads);
    layer.check("layer", x, out);
    layer.run(x, out, {scratch, parallel});
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    layer.check_backward("layer", d_out, x, gradients);
    layer.backward(d_out, x, gradients, {scratch, parallel});
  }
  Values<double> written() const { return elements_of_all(d_x, d_memory, d_values); }

  // The gradients of dot(d_out, out), by name.
  std::map<std::string, Values<double>> computed() const {
    std::map<std::string, Values<double>> all = {{"x", elements(d_x)}};
    if (layer.crosses) all["memory"] = elements(d_memory);
    for_each_parameter(gradients.weights, [&](const ParameterName& name, const auto& view) {
      if (view) all[name.text()] = elements(view);
    });
    if (family.form == LayerForm::phi) {  // one norm with two gradients, which are added
      for (const char* part : {"weight", "bias"}) {
        Values<double>& sum = all[std::string("norm1.") + part];
        const auto other = all.extract(std::string("norm2.") + part).mapped();
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
      }
    }
    return all;
  }
  // The reference, and its inputs and parameters by name.
  template <typename Scalar>
  LayerReference<Scalar> reference() const {
    LayerReference<Scalar> all(family.form, layer, x);
    if (family.form == LayerForm::phi)
      all.tables.erase("norm2.weight"), all.tables.erase("norm2.bias");
    return all;
  }
  template <typename Scalar>
  static std::map<std::string, Table<Scalar>*> variables(LayerReference<Scalar>& of) {
    std::map<std::string, Table<Scalar>*> all = {{"x", &of.x}};
    if (of.memory) all["memory"] = &of.memory;
    for (auto& entry : of.tables) all[entry.first] = &entry.second;
    return all;
  }
};

// The output, and gradients by name, with the bounds of floats.
struct LayerExpected {
  Values<Bounded> out;
  std::map<std::string, Values<Bounded>> gradients;

  explicit LayerExpected(const LayerCase& c) {
    Tape<double> rounding;
    Tape<Tracked<double>> tape;
    auto reference = c.reference<Tracked<Rounded>>();
    std::vector<Table<Tracked<Rounded>>*> all;
    const auto variables = LayerCase::variables(reference);
    for (const auto& entry : variables) all.push_back(entry.second);
    const Values<double> d_out = elements(c.d_out);
    const auto slopes = tape.gradients(all, [&] {
      const auto result = reference.run();
      Values<Rounded> values;
      Sum<Tracked<Rounded>> sum;
      for (std::size_t i = 0; i < d_out.size(); ++i) {
        values.push_back(result.values[i].value);
        sum.add(Tracked<Rounded>(d_out[i]) * result.values[i]);
      }
      out = rounding.bounded(values);
      return sum.value();
    });
    std::size_t n = 0;
    for (const auto& entry : variables) gradients[entry.first] = rounding.bounded(slopes[n++]);
  }
};

}  // namespace tril::testing
