// Outputs whose elements overlap, as in views with a stride of 0 or one too small: every call
// refuses them before it writes.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/low_rank_attention.h>
#include <tril/attention/triangular.h>
#include <tril/block/transformer_block.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/activations.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/embedding.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/positions.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/softmax.h>

#include <algorithm>
#include <string>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

class Overlap : public ::testing::Test {
 protected:
  // Expects `call` to name itself and out in its error, and to leave out unchanged.
  template <typename Call>
  void refused(const char* name, const Call& call) {
    const std::string message = error_of(call);
    EXPECT_EQ(message.find(std::string(name) + ": out: its elements overlap; shape is"), 0u)
        << message;
    EXPECT_TRUE(std::all_of(memory_.data(), memory_.data() + 64,
                            [](float element) { return element == 0; }));
  }

  Scratch scratch_;
  Parallel parallel_;
  Buffer<float, 1> memory_{{64}};
  const MatrixView<float> out_{memory_.data(), {4, 4}, {0, 1}};
  const TensorView<float, 4> heads_{memory_.data(), {1, 2, 4, 4}, {32, 4, 4, 1}};
};

TEST_F(Overlap, IsRefusedByTheLayers) {
  Buffer<float, 2> x({4, 4});
  Buffer<float, 4> x4({1, 2, 4, 4});
  std::fill_n(x.data(), 16, 1.0f);
  refused("softmax", [&] { softmax(x, {}, out_, parallel_); });
  refused("log_softmax", [&] { log_softmax(x, {.axis = 0}, out_, parallel_); });
  refused("layer_norm", [&] { layer_norm(x, {}, {}, {}, out_, parallel_); });
  refused("rms_norm", [&] { rms_norm(x, {}, {}, out_, parallel_); });
  refused("gelu", [&] { gelu(x, GeluForm::exact, out_, parallel_); });
  refused("add", [&] { add(x, x, out_, parallel_); });
  refused("linear", [&] { linear(x, x, {}, out_, {scratch_, parallel_}); });
  refused("triangular", [&] { triangular(x, {}, out_); });
  refused("sinusoidal_positions", [&] { sinusoidal_positions({}, out_); });
  Buffer<std::int32_t, 1> ids({4});
  refused("embedding", [&] { embedding(ids, x, out_); });
  const Buffer<float, 3> table({1, 4, 2});
  refused("rotary_positions",
          [&] { rotary_positions(x4, table, table, RotaryPairs::halves, heads_, parallel_); });
}

TEST_F(Overlap, IsRefusedByAttention) {
  Buffer<float, 4> x({1, 2, 4, 4});
  std::fill_n(x.data(), 32, 1.0f);
  refused("attention", [&] { attention(x, x, x, {}, heads_, {scratch_, parallel_}); });
  refused("linear_attention", [&] {
    linear_attention(x, x, x, {}, heads_, {scratch_, parallel_});
  });
  Buffer<float, 2> e({4, 4});
  refused("low_rank_attention", [&] {
    low_rank_attention(x, x, x, e, e, {}, heads_, {scratch_, parallel_});
  });
  Buffer<float, 3> one({1, 4, 4});
  const VectorView<const float> score(e.data(), {4});
  const TensorView<float, 3> out(memory_.data(), {1, 4, 4}, {16, 0, 1});
  refused("additive_attention", [&] {
    additive_attention(one, one, one, {e, e, score}, {}, out, {scratch_, parallel_});
  });
}

// A mask's borrowed memory is read until the call ends.
TEST_F(Overlap, WithAMaskIsRefused) {
  Buffer<float, 4> x({1, 2, 4, 4}), out({1, 2, 4, 4}), added({1, 2, 4, 4});
  Buffer<float, 3> log_sum_exp({1, 2, 4});
  std::fill_n(x.data(), 32, 1.0f);
  Buffer<std::uint8_t, 4> seen({1, 2, 4, 64});  // as many bytes as all of `out`
  AttentionOptions options;
  options.mask = Mask::additive(added);
  const auto message = [&](const TensorView<float, 4>& to, const AttentionTrace& trace = {}) {
    return error_of([&] { attention(x, x, x, options, to, {scratch_, parallel_}, trace); });
  };
  EXPECT_EQ(message(added), "attention: out: shares memory with the mask");
  EXPECT_EQ(message(out, {.weights = added}),
            "attention: trace.weights: shares memory with the mask");
  attention(x, x, x, options, out, {scratch_, parallel_}, {.log_sum_exp = log_sum_exp});
  EXPECT_EQ(error_of([&] {
              attention_backward(x, x, x, x, out, log_sum_exp, options, {{}, {}, {}, added},
                                 {scratch_, parallel_});
            }),
            "attention_backward: d_mask: shares memory with the mask");
  EXPECT_EQ(error_of([&] { mask_values(options.mask, 0, added); }),
            "mask_values: out: shares memory with the mask");
  options.mask = Mask::boolean({seen.data(), {1, 2, 4, 4}});
  EXPECT_EQ(message({reinterpret_cast<float*>(seen.data()), {1, 2, 4, 4}}),
            "attention: out: shares memory with the mask");
  Buffer<float, 3> one({1, 4, 4});
  Buffer<float, 2> e({4, 4});
  const TensorView<float, 3> to(added.data(), {1, 4, 4});
  EXPECT_NE(error_of([&] {
              additive_attention(one, one, one, {e, e, {e.data(), {4}}},
                                 Mask::additive({added.data(), {1, 1, 4, 4}}), to,
                                 {scratch_, parallel_});
            }).find("additive_attention: out: shares memory with"),
            std::string::npos);
}

TEST_F(Overlap, WithTheMaskOfHeadsAndBlocksIsRefused) {
  Buffer<float, 3> x({1, 3, 4}), out({1, 3, 4}), heads({1, 3, 4});
  Buffer<float, 4> added({1, 2, 3, 3});
  Buffer<float, 2> in({12, 4}), to({4, 4}), wide({4, 4});
  TransformerBlockWeights weights;
  weights.self_attn.in_proj_weight = in, weights.self_attn.out_proj_weight = to;
  weights.linear1.weight = wide, weights.linear2.weight = wide;
  TransformerBlockOptions options;
  options.heads = 2, options.norms = false, options.attention.mask = Mask::additive(added);
  const TensorView<float, 3> there(added.data(), {1, 3, 4});
  const auto block = [&](const TensorView<float, 3>& result) {
    return error_of([&] { transformer_block(x, weights, options, result, {scratch_, parallel_}); });
  };
  EXPECT_NE(block(there).find("transformer_block: out: shares memory with an input"),
            std::string::npos);
  transformer_block(x, weights, options, out, {scratch_, parallel_});
  MultiHeadOptions of_heads;
  of_heads.heads = 2, of_heads.attention.mask = options.attention.mask;
  const auto attend = [&](const TensorView<float, 3>& result, const MultiHeadTrace& trace = {}) {
    return error_of([&] {
      multi_head_attention(x, weights.self_attn, of_heads, result, {scratch_, parallel_}, trace);
    });
  };
  EXPECT_EQ(attend(there), "multi_head_attention: out: shares memory with the mask");
  MultiHeadTrace trace;
  trace.attention.weights = added;
  EXPECT_EQ(attend(out, trace), "multi_head_attention: trace.weights: shares memory with the mask");
}

// Views whose rows have one address for all their elements.
TEST(Fill, RefusesWhatCannotBeWritten) {
  float place = 0;
  Random random(1);
  const MatrixView<float> view(&place, {1, 64}, {0, 0});
  const std::string problem =
      "out: the last axis must be contiguous; shape is [1, 64], strides are [0, 0]";
  EXPECT_EQ(error_of([&] { fill_normal(view, random); }), "fill_normal: " + problem);
  EXPECT_EQ(error_of([&] { fill_uniform(view, random, 0, 1); }), "fill_uniform: " + problem);
  EXPECT_EQ(
      error_of([&] { SavedMemory(VectorView<float>(&place, {1000}, {0})); }),
      "SavedMemory: memory: the last axis must be contiguous; shape is [1000], strides are [0]");
  EXPECT_EQ(place, 0);
  fill_uniform(VectorView<float>(&place, {1}), random, 1, 2);
  EXPECT_GE(place, 1);
}

TEST(MemoryOfViews, MayLieBeforeTheFirstElement) {
  Buffer<float, 1> memory({20});
  // Rows 3, 2, 1, 0 of [4, 5].
  const MatrixView<float> backwards(memory.data() + 15, {4, 5}, {-5, 1});
  const MemoryRange range = memory_range(backwards);
  EXPECT_EQ(range.begin, reinterpret_cast<const char*>(memory.data()));
  EXPECT_EQ(range.end, reinterpret_cast<const char*>(memory.data() + 20));
  const VectorView<float> first(memory.data(), {2});
  EXPECT_THROW(check_no_overlap(first, backwards, "f", "out"), Error);
  EXPECT_NO_THROW(check_view(backwards, "f", "out"));
  // An empty view overlaps nothing.
  EXPECT_NO_THROW(
      check_no_overlap(VectorView<float>(memory.data() + 3, {0}), backwards, "f", "out"));
}

TEST(MemoryOfViews, NeedsAPlaceForEachElementThatIsWritten) {
  Buffer<float, 1> memory({40});
  const auto error = [&](const Shape<3>& shape, const Shape<3>& strides) {
    const TensorView<float, 3> view(memory.data(), shape, strides);
    EXPECT_NO_THROW(check_view(TensorView<const float, 3>(view), "f", "x"));  // valid for reading
    try {
      check_view(view, "f", "out");
    } catch (const Error& thrown) {
      return std::string(thrown.what());
    }
    return std::string();
  };
  EXPECT_EQ(error({2, 3, 4}, {12, 4, 1}), "");
  EXPECT_EQ(error({2, 3, 4}, {4, 8, 1}), "");  // heads side by side
  EXPECT_EQ(error({1, 3, 4}, {0, 4, 1}), "");  // only one of them
  EXPECT_EQ(error({2, 3, 4}, {0, 4, 1}),
            "f: out: its elements overlap; shape is [2, 3, 4], strides are [0, 4, 1]");
  EXPECT_NE(error({2, 3, 4}, {12, 3, 1}), "");
  EXPECT_NE(error({2, 3, 4}, {11, 4, 1}), "");
  EXPECT_NE(error({2, 3, 4}, {4, -4, 1}), "");
}

// With a 32-bit Index such products exceed 2^31. In a constant expression the compiler itself
// refuses an overflow of signed numbers.
TEST(MemoryOfViews, StridesOfAnyShapeCanBeComputed) {
  constexpr Index kHuge = std::numeric_limits<Index>::max() / 2;
  static_assert(contiguous_strides<3>({kHuge, kHuge, 4})[1] == 4);
  static_assert(contiguous_strides<4>({kHuge, kHuge, kHuge, 4})[2] == 4);
  static_assert(TensorView<float, 2>(nullptr, {kHuge, kHuge}, {0, 0}).count() != 0);
  SUCCEED();
}

}  // namespace
}  // namespace tril
