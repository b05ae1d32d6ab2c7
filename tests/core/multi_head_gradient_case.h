// Helpers for the tests of multi-head attention's gradients: a layer with all inputs and outputs of
// its backward pass, and the comparison with the reference.
#pragma once

#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/saved_memory.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/backward_case.h"
#include "core/golden.h"
#include "core/multi_head_gradient_reference.h"

namespace tril::testing {

// The source of keys and values, and the form of the weights.
enum class Source { self, self_apart, context, both };

struct MultiHeadSizes {
  Index batches = 2, queries = 5, keys = 5, width = 6, heads = 2, kv_heads = 2, depth = 3;
};

// A layer, its inputs and the gradient of its output, drawn from a seed, and all outputs of a
// backward pass.
struct MultiHeadCase {
  MultiHeadSizes n;
  Source source;
  Buffer<float, 3> x, context, value_context, d_out, out, d_x, d_context, d_value_context;
  Buffer<float, 4> d_mask;
  MultiHeadWeights weights;
  MultiHeadOptions options;
  MultiHeadSetting setting;
  MultiHeadTrace trace;
  MultiHeadGradients gradients;
  Buffer<float, 1> memory, weight_memory, d_memory;
  Scratch scratch;

  MultiHeadCase(const MultiHeadSizes& sizes, Source from, bool biased = true)
      : n(sizes), source(from) {
    Random random(150);
    const Index E = n.heads * n.depth, Ek = n.kv_heads * n.depth;
    const Index wide = from == Source::both ? n.width + 1 : n.width;
    x = uniform<3>({n.batches, n.queries, n.width}, random);
    context = uniform<3>({n.batches, n.keys, n.width}, random);
    value_context = uniform<3>({n.batches, n.keys, wide}, random);
    d_out = uniform<3>({n.batches, n.queries, n.width}, random);
    out = Buffer<float, 3>(x.shape()), d_x = Buffer<float, 3>(x.shape());
    d_context = Buffer<float, 3>(context.shape());
    d_value_context = Buffer<float, 3>(value_context.shape());
    d_mask = Buffer<float, 4>({n.batches, n.heads, n.queries, n.keys});

    // The form of the weights first, and then their numbers.
    static float nothing = 0;
    const auto matrix = [](Index out, Index in) { return MatrixView<float>(&nothing, {out, in}); };
    BasicMultiHeadWeights<float> form;
    if (from == Source::self || from == Source::context) {
      form.in_proj_weight = matrix(E + 2 * Ek, n.width);
    } else {
      form.q_proj_weight = matrix(E, n.width), form.k_proj_weight = matrix(Ek, n.width);
      form.v_proj_weight = matrix(Ek, wide);
    }
    form.out_proj_weight = matrix(n.width, E);
    if (biased) {
      form.in_proj_bias = {&nothing, {E + 2 * Ek}};
      form.out_proj_bias = {&nothing, {n.width}};
    }
    weight_memory = uniform<1>({parameter_count(form)}, random);
    for (Index i = 0; i < weight_memory.view().count(); ++i) weight_memory.data()[i] *= 0.5f;
    d_memory = Buffer<float, 1>(weight_memory.shape());
    weights = parameters_as<MultiHeadWeights>(
        parameters_in<BasicMultiHeadWeights<float>>(weight_memory.data(), form));
    gradients.weights = parameters_in<BasicMultiHeadWeights<float>>(d_memory.data(), form);
    gradients.d_x = d_x, gradients.d_mask = d_mask;
    if (from == Source::context || from == Source::both) gradients.d_context = d_context;
    if (from == Source::both) gradients.d_value_context = d_value_context;
    options.heads = n.heads, options.kv_heads = n.kv_heads;
    if (gradients.d_context) options.context = context;
    if (gradients.d_value_context) options.value_context = value_context;
    setting.batches = n.batches, setting.heads = n.heads, setting.kv_heads = n.kv_heads;
    for (Buffer<float, 3>* each : {&d_x, &d_context, &d_value_context}) {
      std::fill_n(each->data(), each->view().count(), 7.0f);  // overwritten, not added to
    }
  }

  void forward() {
    trace = saved_in(memory, [&](SavedMemory& place) {
      return multi_head_attention_saved(x.shape(), weights, options, place);
    });
    Parallel one;
    multi_head_attention(x, weights, options, out, {scratch, one}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    multi_head_attention_backward(d_out, x, weights, options, trace, gradients,
                                  {scratch, parallel});
  }

  Values<double> written() const {
    return elements_of_all(d_x, d_context, d_value_context, d_mask, d_memory);
  }

  template <typename Scalar>
  MultiHeadTables<Scalar> tables() const {
    return {weights, n.heads, n.kv_heads};
  }
  template <typename Scalar>
  Table<Scalar> keys_from() const {
    return Table<Scalar>(gradients.d_context ? context.view() : x.view());
  }
  template <typename Scalar>
  Table<Scalar> values_from() const {
    return source == Source::both ? Table<Scalar>(value_context.view()) : keys_from<Scalar>();
  }
  MultiHeadReferenceGradients expected() const {
    return multi_head_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                                keys_from<Bounded>(), values_from<Bounded>(), tables<Bounded>(),
                                setting);
  }

  void expect_all() const {
    const MultiHeadReferenceGradients e = expected();
    const auto w = tables<Bounded>();
    using Parts = std::vector<std::pair<const Table<Bounded>*, const Table<Bounded>*>>;
    Parts of_x = {{&e.query, &w.query}}, of_context = {{&e.key, &w.key}};
    const Parts of_values = {{&e.value, &w.value}};
    if (source != Source::both) of_context.push_back(of_values[0]);
    if (!gradients.d_context) of_x.insert(of_x.end(), of_context.begin(), of_context.end());
    expect_bounded(input_gradient(of_x).values, d_x.view(), "d_x");
    if (gradients.d_context) {
      expect_bounded(input_gradient(of_context).values, d_context.view(), "d_context");
    }
    if (source == Source::both) {
      expect_bounded(input_gradient(of_values).values, d_value_context.view(), "d_value_context");
    }
    const BasicMultiHeadWeights<float>& d = gradients.weights;
    if (d.in_proj_weight) {
      expect_bounded(stacked(e.weights.query, e.weights.key, e.weights.value), d.in_proj_weight,
                     "d_in_proj_weight");
    } else {
      expect_bounded(e.weights.query.values, d.q_proj_weight, "d_q_proj_weight");
      expect_bounded(e.weights.key.values, d.k_proj_weight, "d_k_proj_weight");
      expect_bounded(e.weights.value.values, d.v_proj_weight, "d_v_proj_weight");
    }
    if (d.in_proj_bias) {
      expect_bounded(stacked(e.weights.query_bias, e.weights.key_bias, e.weights.value_bias),
                     d.in_proj_bias, "d_in_proj_bias");
      expect_bounded(e.weights.out_bias.values, d.out_proj_bias, "d_out_proj.bias");
    }
    expect_bounded(e.weights.out.values, d.out_proj_weight, "d_out_proj.weight");
    expect_bounded(e.mask, d_mask.view(), "d_mask");
  }
  void run() {
    forward();
    backward();
    expect_all();
  }
};

}  // namespace tril::testing
