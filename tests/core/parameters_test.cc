// Visiting parameters: PyTorch's names in PyTorch's order, and the functions built on it.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>
#include <tril/foundation/buffer.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/block_weights.h"

namespace tril {
namespace {

using testing::WeightSource;
using Names = std::vector<std::string>;

// The names of all given parameters, in order.
template <typename Weights>
Names names_of(const Weights& weights) {
  Names names;
  for_each_parameter(weights, [&](const ParameterName& name, const auto& view) {
    if (view) names.push_back(name.text());
  });
  return names;
}

const float* data_of(const VectorView<const float>& view) { return view.data(); }
const float* data_of(const Weight& weight) { return weight.floats().data(); }

// Puts `prefix` before every name.
Names under(const std::string& prefix, const Names& names) {
  Names result;
  for (const std::string& name : names) result.push_back(prefix + name);
  return result;
}

Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// list(module.state_dict()) of PyTorch 1.13 and 2.x, for ...
// nn.MultiheadAttention(10, 2)
const Names kAttention = {"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"};
// nn.MultiheadAttention(10, 2, kdim=5, vdim=7)
const Names kAttentionApart = {"q_proj_weight", "k_proj_weight",   "v_proj_weight",
                               "in_proj_bias",  "out_proj.weight", "out_proj.bias"};
// nn.TransformerEncoderLayer(10, 2, 21)
const Names kEncoderLayer = {"self_attn.in_proj_weight",
                             "self_attn.in_proj_bias",
                             "self_attn.out_proj.weight",
                             "self_attn.out_proj.bias",
                             "linear1.weight",
                             "linear1.bias",
                             "linear2.weight",
                             "linear2.bias",
                             "norm1.weight",
                             "norm1.bias",
                             "norm2.weight",
                             "norm2.bias"};
// nn.TransformerDecoderLayer(10, 2, 21)
const Names kDecoderLayer = {"self_attn.in_proj_weight",
                             "self_attn.in_proj_bias",
                             "self_attn.out_proj.weight",
                             "self_attn.out_proj.bias",
                             "multihead_attn.in_proj_weight",
                             "multihead_attn.in_proj_bias",
                             "multihead_attn.out_proj.weight",
                             "multihead_attn.out_proj.bias",
                             "linear1.weight",
                             "linear1.bias",
                             "linear2.weight",
                             "linear2.bias",
                             "norm1.weight",
                             "norm1.bias",
                             "norm2.weight",
                             "norm2.bias",
                             "norm3.weight",
                             "norm3.bias"};
// The norm at the end of a stack
const Names kNorm = {"norm.weight", "norm.bias"};
// nn.Transformer(10, 2, 2, 1, 21)
const Names kTransformer = under("encoder.layers.0.", kEncoderLayer) +
                           under("encoder.layers.1.", kEncoderLayer) + under("encoder.", kNorm) +
                           under("decoder.layers.0.", kDecoderLayer) + under("decoder.", kNorm);

class Parameters : public ::testing::Test {
 protected:
  Random random{1};
  WeightSource source{random, false};
};

TEST_F(Parameters, HavePyTorchsNamesInItsOrder) {
  EXPECT_EQ(names_of(source.linear(3, 2)), (Names{"weight", "bias"}));
  EXPECT_EQ(names_of(source.norm(3)), (Names{"weight", "bias"}));
  EXPECT_EQ(names_of(source.attention(10)), kAttention);
  EXPECT_EQ(names_of(source.block(10, 21)), kEncoderLayer);
  EXPECT_EQ(names_of(source.decoder_block(10, 21)), kDecoderLayer);
  const TransformerWeights both = source.transformer(2, 1, 10, 21);
  EXPECT_EQ(names_of(both), kTransformer);
  EXPECT_EQ(names_of(both.encoder),
            (under("layers.0.", kEncoderLayer) + under("layers.1.", kEncoderLayer) + kNorm));
  MultiHeadWeights apart = source.attention(10);
  apart.q_proj_weight = apart.k_proj_weight = apart.v_proj_weight =
      std::exchange(apart.in_proj_weight, {});
  EXPECT_EQ(names_of(apart), kAttentionApart);
}

TEST_F(Parameters, CountsWhatIsGiven) {
  EXPECT_EQ(parameter_count(LinearWeights{}), 0);
  EXPECT_EQ(parameter_count(source.linear(3, 2)), 9);
  // sum(p.numel() for p in nn.TransformerEncoderLayer(10, 2, 21).parameters())
  EXPECT_EQ(parameter_count(source.block(10, 21)), 4 * 110 + 231 + 220 + 40);
  TransformerEncoderWeights stack = source.transformer(2, 1, 10, 21).encoder;
  const Index with_norm = parameter_count(stack);
  stack.norm.reset();
  EXPECT_EQ(parameter_count(stack), with_norm - 20);
}

// Gradients of the same form are writable, and each has its parameter's shape and its own memory.
TEST_F(Parameters, LiesInOneBuffer) {
  const TransformerWeights weights = source.transformer(2, 1, 10, 21);
  std::vector<float> memory(static_cast<std::size_t>(parameter_count(weights)), -1.0f);
  const auto gradients = parameters_in<BasicTransformerWeights<float>>(memory.data(), weights);
  float* next = memory.data();
  zip_parameters(
      [&](const ParameterName& name, const auto& weight, const auto& gradient) {
        ASSERT_EQ(static_cast<bool>(weight), static_cast<bool>(gradient)) << name.text();
        if (!weight) return;
        EXPECT_EQ(gradient.data(), next) << name.text();
        EXPECT_EQ(gradient.shape(), weight.shape()) << name.text();
        std::copy_n(data_of(weight), weight.count(), gradient.data());
        next += weight.count();
      },
      weights, gradients);
  EXPECT_EQ(next, memory.data() + memory.size());
  EXPECT_EQ(std::count(memory.begin(), memory.end(), -1.0f), 0);
  EXPECT_EQ(gradients.decoder.layers[0].multihead_attn.out_proj_weight[3][4],
            weights.decoder.layers[0].multihead_attn.out_proj_weight.floats()[3][4]);

  const auto read = parameters_as<TransformerWeights>(gradients);
  EXPECT_EQ(read.encoder.norm->bias.data(), gradients.encoder.norm->bias.data());
  EXPECT_EQ(names_of(read), kTransformer);
}

// Weights can be filled by name, as files and JavaScript do, with any number of layers.
TEST_F(Parameters, AreFoundByName) {
  const TransformerWeights weights = source.transformer(2, 1, 10, 21);
  const auto find = [&](const std::string& leave_out) {
    TransformerWeights found;
    const Index count = find_parameters(found, [&](const ParameterName& name, auto& view) {
      bool known = false;
      const std::string text = name.text();
      for_each_parameter(weights, [&](const ParameterName& other, const auto& given) {
        if constexpr (std::is_same_v<std::decay_t<decltype(given)>, std::decay_t<decltype(view)>>) {
          if (!given || other.text() != text || text.starts_with(leave_out)) return;
          view = given;
          known = true;
        }
      });
      return known;
    });
    return std::pair(count, names_of(found));
  };
  EXPECT_EQ(find("?"), std::pair(static_cast<Index>(kTransformer.size()), kTransformer));
  EXPECT_EQ(find("encoder.layers.1.").second,
            under("encoder.layers.0.", kEncoderLayer) + under("encoder.", kNorm) +
                under("decoder.layers.0.", kDecoderLayer) + under("decoder.", kNorm));
  EXPECT_EQ(find("decoder.norm.").second.back(), "decoder.layers.0.norm3.bias");
  EXPECT_EQ(find("").first, 0);
}

}  // namespace
}  // namespace tril
