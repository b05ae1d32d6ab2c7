// Attention with no queries, no keys or no batches, by every method, forward and backward, and
// everything built on it: a query that sees no key gets zeros, and gradients of zero.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/low_rank_attention.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/activations.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/softmax.h>
#include <tril/layers/unchecked.h>
#include <tril/lessons/online_attention.h>
#include <tril/matmul/matmul_backward.h>

#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"
#include "core/multi_head_module.h"
#include "core/sevens.h"

namespace tril {
namespace {

using testing::all_are, testing::error_of, testing::normal, testing::sevens;

struct Sizes {
  Index batches, queries, keys;
};
constexpr Sizes kEmpty[] = {{2, 0, 3}, {2, 3, 0}, {2, 0, 0}, {0, 3, 4}, {0, 0, 0}};

class EmptyAttention : public ::testing::TestWithParam<Sizes> {
 protected:
  Scratch scratch_;
  Parallel parallel_{2};
};
INSTANTIATE_TEST_SUITE_P(Sizes, EmptyAttention, ::testing::ValuesIn(kEmpty));

TEST_P(EmptyAttention, GivesZerosByEveryFormula) {
  const auto [B, T, S] = GetParam();
  const Buffer<float, 4> query = sevens<4>({B, 4, T, 5}), key = sevens<4>({B, 2, S, 5});
  const Buffer<float, 4> value = sevens<4>({B, 2, S, 6});
  const auto expect_zeros = [&, B = B, T = T](const auto& call) {
    Buffer<float, 4> out = sevens<4>({B, 4, T, 6});
    call(out);
    EXPECT_TRUE(all_are(out, 0));
  };
  AttentionOptions options;
  options.causal = true;
  expect_zeros([&](auto& out) {
    attention(query, key, value, options, out, {scratch_, parallel_});
  });
  for (const Index block : {Index{1}, Index{64}}) {
    const Index steps = S / block + (S % block != 0), blocks = T / block + (T % block != 0);
    Buffer<float, 4> sum({B, 4, T, steps}), visited({B, 4, blocks, steps});
    Buffer<float, 5> partial({B, 4, T, steps, 6});
    OnlineTrace trace;
    trace.sum = sum, trace.visited = visited, trace.partial = partial;
    expect_zeros([&](auto& out) {
      online_attention(query, key, value, options, {block, block}, out, {scratch_, parallel_},
                       trace);
    });
  }
  for (const bool causal : {false, true}) {
    for (const bool normalise : {false, true}) {
      for (const auto& [name, order] : kProductOrders) {
        LinearAttentionOptions linear;
        linear.causal = causal, linear.normalise = normalise, linear.order = order;
        Buffer<float, 4> weights({B, 4, T, S});
        const auto traced =
            order == ProductOrder::scores_first ? weights.view() : TensorView<float, 4>();
        expect_zeros([&](auto& out) {
          linear_attention(query, key, value, linear, out, {scratch_, parallel_}, traced);
        });
      }
    }
  }
  const Buffer<float, 2> mixing = sevens<2>({3, S});
  expect_zeros([&](auto& out) {
    low_rank_attention(query, key, value, mixing, mixing, {}, out, {scratch_, parallel_});
  });
}

TEST_P(EmptyAttention, SendsZerosBack) {
  const auto [B, T, S] = GetParam();
  const Buffer<float, 4> query = sevens<4>({B, 4, T, 5}), key = sevens<4>({B, 2, S, 5});
  const Buffer<float, 4> value = sevens<4>({B, 2, S, 6}), d_out = sevens<4>({B, 4, T, 6});
  Buffer<float, 4> out({B, 4, T, 6}), d_query = sevens<4>(query.shape());
  Buffer<float, 4> d_key = sevens<4>(key.shape()), d_value = sevens<4>(value.shape());
  Buffer<float, 4> d_mask({B, 4, T, S});
  Buffer<float, 3> log_sum_exp({B, 4, T});
  attention(query, key, value, {}, out, {scratch_, parallel_}, {.log_sum_exp = log_sum_exp});
  attention_backward(d_out, query, key, value, out, log_sum_exp, {},
                     {d_query, d_key, d_value, d_mask}, {scratch_, parallel_});
  EXPECT_TRUE(all_are(d_query, 0));
  EXPECT_TRUE(all_are(d_key, 0));
  EXPECT_TRUE(all_are(d_value, 0));
}

TEST_P(EmptyAttention, IsAdditiveThereAndBack) {
  const auto [B, T, S] = GetParam();
  Random random(3);
  const Buffer<float, 3> query = normal({B, T, 5}, random), key = normal({B, S, 6}, random);
  const Buffer<float, 3> value = normal({B, S, 4}, random), d_out = sevens<3>({B, T, 4});
  const Buffer<float, 2> w_query = sevens<2>({7, 5}), w_key = sevens<2>({7, 6});
  const Buffer<float, 1> w_score = sevens<1>({7});
  const AdditiveWeights weights{w_query, w_key, w_score};
  Buffer<float, 1> memory;
  AdditiveTrace trace = saved_in(memory, [&](SavedMemory& place) {
    return additive_attention_saved(query.shape(), key.shape(), weights, place);
  });
  Buffer<float, 3> out = sevens<3>({B, T, 4}), scores({B, T, S});
  trace.scores = scores;
  additive_attention(query, key, value, weights, Mask::causal(), out, {scratch_, parallel_}, trace);
  EXPECT_TRUE(all_are(out, 0));
  Buffer<float, 3> d_query = sevens<3>(query.shape()), d_key = sevens<3>(key.shape());
  Buffer<float, 3> d_value = sevens<3>(value.shape());
  Buffer<float, 2> d_w_query = sevens<2>({7, 5}), d_w_key = sevens<2>({7, 6});
  Buffer<float, 1> d_w_score = sevens<1>({7});
  additive_attention_backward(d_out, query, key, value, weights, trace,
                              {d_query, d_key, d_value, {d_w_query, d_w_key, d_w_score}},
                              {scratch_, parallel_});
  for (const auto* d : {&d_query, &d_key, &d_value}) EXPECT_TRUE(all_are(*d, 0));
  EXPECT_TRUE(all_are(d_w_query, 7) && all_are(d_w_key, 7) && all_are(d_w_score, 7))
      << "nothing is added";
}

// Heads that see no key are zeros: only the bias of their projection remains.
TEST_P(EmptyAttention, LeavesTheBiasOfManyHeads) {
  const auto [B, T, S] = GetParam();
  Random random(4);
  const testing::MultiHeadModule module(random, 8, true);
  const MultiHeadWeights weights = module.weights();
  const Buffer<float, 3> x = normal({B, T, 8}, random), context = normal({B, S, 8}, random);
  const Buffer<float, 3> d_out = sevens<3>(x.shape());
  MultiHeadOptions options;
  options.heads = 2, options.context = context, options.rotary = MultiHeadRotary{};
  Buffer<float, 1> memory, d_memory({parameter_count(weights)});
  MultiHeadTrace trace = saved_in(memory, [&](SavedMemory& place) {
    return multi_head_attention_saved(x.shape(), weights, options, place);
  });
  Buffer<float, 3> out = sevens<3>(x.shape()), average({B, T, S});
  trace.average_weights = average;
  multi_head_attention(x, weights, options, out, {scratch_, parallel_}, trace);
  for (Index row = 0; row < B * T; ++row) {
    for (Index c = 0; c < 8; ++c) {
      EXPECT_EQ(out.data()[row * 8 + c], weights.out_proj_bias[c]);
    }
  }
  Buffer<float, 3> d_x = sevens<3>(x.shape()), d_context = sevens<3>(context.shape());
  Buffer<float, 4> d_mask({B, 2, T, S});
  MultiHeadGradients gradients;
  gradients.d_x = d_x, gradients.d_context = d_context, gradients.d_mask = d_mask;
  gradients.weights = parameters_in<BasicMultiHeadWeights<float>>(d_memory.data(), weights);
  multi_head_attention_backward(d_out, x, weights, options, trace, gradients,
                                {scratch_, parallel_});
  EXPECT_TRUE(all_are(d_x, 0));
  EXPECT_TRUE(all_are(d_context, 0));
  for_each_parameter(gradients.weights, [&, B = B, T = T](const ParameterName& name,
                                                          const auto& view) {
    if (!view) return;
    const float expected = name.text() == "out_proj.bias" ? 7.0f * static_cast<float>(B * T) : 0;
    for (Index i = 0; i < view.count(); ++i) EXPECT_EQ(view.data()[i], expected) << name.text();
  });
}

TEST_P(EmptyAttention, IsPartOfBlocksAndStacks) {
  const auto [B, T, S] = GetParam();
  for (const NormOrder norm : testing::kNormOrders) {
    for (const bool dropped : {false, true}) {
      Random random(5);
      testing::WeightSource source_of_weights(random, false);
      const TransformerWeights weights = source_of_weights.transformer(1, 2, 8, 12);
      const Buffer<float, 3> source = normal({B, S, 8}, random), target = normal({B, T, 8}, random);
      const Buffer<float, 3> d_out = sevens<3>(target.shape());
      TransformerOptions options;
      options.heads = 2, options.norm = norm, options.target_attention.causal = true;
      if (dropped) options.dropout = DropoutPlaces{};
      Buffer<float, 1> memory, gradient({parameter_count(weights)});
      const TransformerTrace trace = saved_in(memory, [&](SavedMemory& place) {
        return transformer_saved(source.shape(), target.shape(), weights, options, place);
      });
      Buffer<float, 3> out(target.shape()), again(target.shape());
      Buffer<float, 3> d_source = sevens<3>(source.shape()), d_target(target.shape());
      transformer(source, target, weights, options, out, {scratch_, parallel_}, trace);
      transformer(source, target, weights, options, again, {scratch_, parallel_});
      EXPECT_TRUE(testing::equal(out, again));
      TransformerGradients gradients{d_source, d_target, {}};
      gradients.weights = parameters_in<BasicTransformerWeights<float>>(gradient.data(), weights);
      transformer_backward(d_out, source, target, weights, options, trace, gradients,
                           {scratch_, parallel_});
      EXPECT_TRUE(all_are(d_source, 0));
      EXPECT_TRUE(B * T > 0 || all_are(gradient, 0)) << "no target, no gradient";
      for (Index i = 0; i < gradient.shape()[0]; ++i)
        ASSERT_TRUE(std::isfinite(gradient.data()[i]));
    }
  }
}

// Appending no tokens leaves a cache unchanged.
TEST(EmptyAttentionTo, ACache) {
  Random random(6);
  const testing::MultiHeadModule module(random, 8, true);
  KeyValueCache cache({.batches = 1, .heads = 2, .capacity = 3, .width = 4});
  MultiHeadOptions options;
  options.heads = 2, options.past = &cache;
  const Buffer<float, 3> none({1, 0, 8}), three = normal({1, 3, 8}, random);
  Buffer<float, 3> nothing({1, 0, 8}), out({1, 3, 8});
  multi_head_attention(none, module.weights(), options, nothing);
  EXPECT_EQ(cache.length(), 0);
  multi_head_attention(three, module.weights(), options, out);
  multi_head_attention(none, module.weights(), options, nothing);
  EXPECT_EQ(cache.length(), 3);
}

TEST(EmptyAttentionTo, NoMixturesOfKeys) {
  const Buffer<float, 4> query = sevens<4>({1, 1, 2, 3}), key = sevens<4>({1, 1, 4, 3});
  const Buffer<float, 2> mixing({0, 4});
  Buffer<float, 4> out = sevens<4>({1, 1, 2, 3});
  low_rank_attention(query, key, key, mixing, mixing, {}, out);
  EXPECT_TRUE(all_are(out, 0));
}

TEST(EmptyAttentionTo, VectorsWithoutWidthIsRefused) {
  const Buffer<float, 4> flat({1, 1, 3, 0}), key({1, 1, 0, 4});
  Buffer<float, 4> out = sevens<4>({1, 1, 3, 4});
  const auto says = [](const std::string& call) {
    return call + ": query: every axis must be at least 1; shape is [1, 1, 3, 0]";
  };
  EXPECT_EQ(error_of([&] { online_attention(flat, key, key, {}, {}, out); }),
            says("online_attention"));
  EXPECT_EQ(error_of([&] { linear_attention(flat, key, key, {}, out); }), says("linear_attention"));
  EXPECT_TRUE(all_are(out, 7));
  const Buffer<float, 4> query({1, 1, 3, 4});
  linear_attention(query, key, key, {}, out);
  EXPECT_TRUE(all_are(out, 0));
}

// Gradients of empty sums are 0, and gradients of weights without rows stay unchanged.
TEST(EmptyBackward, OfLayers) {
  Scratch scratch;
  Parallel parallel(2);
  for (const Shape<2> shape : {Shape<2>{0, 4}, {3, 0}, {0, 0}}) {
    const Index rows = shape[0], cols = shape[1];
    const Buffer<float, 2> x(shape), d_out = sevens<2>({rows, 5}), weight = sevens<2>({5, cols});
    Buffer<float, 2> d_x(shape), d_weight = sevens<2>({5, cols});
    Buffer<float, 1> d_bias = sevens<1>({5});
    linear_backward(d_out, x, weight, {d_x, d_weight, d_bias}, {scratch, parallel});
    EXPECT_TRUE(all_are(d_weight, 7));
    EXPECT_TRUE(all_are(d_bias, 7 + 7 * static_cast<float>(rows)));
    const Buffer<float, 2> none({rows, 0}), narrow({0, cols});
    Buffer<float, 2> d_wide = sevens<2>(shape), d_narrow({0, cols});
    linear_backward(none, x, narrow, {d_wide, d_narrow, {}}, {scratch, parallel});
    EXPECT_TRUE(all_are(d_wide, 0));

    const Buffer<float, 1> mean({rows}), rstd({rows}), scale({cols});
    Buffer<float, 1> d_scale = sevens<1>({cols}), d_shift = sevens<1>({cols});
    layer_norm_backward(x, x, scale, mean, rstd, {d_x, d_scale, d_shift}, {scratch, parallel});
    rms_norm_backward(x, x, scale, rstd, {d_x, d_scale}, {scratch, parallel});
    EXPECT_TRUE(all_are(d_scale, 7) && all_are(d_shift, 7));
    for (const int axis : {0, 1}) {
      softmax_backward(x, x, {.axis = axis}, d_x, parallel);
      log_softmax_backward(x, x, {.axis = axis}, d_x, parallel);
    }
    dropout(x, {}, d_x, parallel);
    dropout_backward(x, {}, d_x, parallel);

    const Buffer<float, 2> in = sevens<2>({6, cols}), back = sevens<2>({cols, 6});
    const FeedForwardWeights two{{in, {}}, {back, {}}};
    Buffer<float, 2> hidden({rows, 6}), activated({rows, 6}), out(shape);
    feed_forward(x, two, Activation::gelu, out, {scratch, parallel}, {hidden, activated});
    Buffer<float, 2> d_in = sevens<2>(in.shape()), d_back = sevens<2>(back.shape());
    feed_forward_backward(x, x, two, Activation::gelu, {hidden, activated},
                          {d_x, {{d_in, {}}, {d_back, {}}}}, {scratch, parallel});
    EXPECT_TRUE(all_are(d_in, 7) && all_are(d_back, 7));
  }
}

TEST(EmptyBackward, OfProducts) {
  Scratch scratch;
  Parallel parallel(2);
  for (const auto& [batch, rows, depth, cols] :
       {Shape<4>{0, 2, 3, 4}, {2, 0, 3, 4}, {2, 2, 0, 4}, {2, 2, 3, 0}}) {
    const Buffer<float, 3> a = sevens<3>({batch, rows, depth}), d = sevens<3>({batch, rows, cols});
    const Buffer<float, 2> b = sevens<2>({depth, cols});
    Buffer<float, 3> d_a = sevens<3>(a.shape());
    Buffer<float, 2> d_b = sevens<2>(b.shape());
    matmul_backward(d.view(), a.view(), b.view(), {}, {d_a.view(), d_b.view()},
                    {scratch, parallel});
    EXPECT_TRUE(all_are(d_a, 0));
    EXPECT_TRUE(all_are(d_b, 0));
  }
}

}  // namespace
}  // namespace tril
