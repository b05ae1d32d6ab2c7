// Prepared weights: the same results as without them, and wrong input. weight_test.cc tests packed
// matrices themselves.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>
#include <tril/layers/linear.h>
#include <tril/layers/prepared_weights.h>
#include <tril/matmul/tile_kernels.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::WeightSource;

// Expects the same bits, except that few rows read unpacked weights in place and add in another
// order: then both are within PyTorch's tolerance of the exact result.
::testing::AssertionResult same(Index rows, const Buffer<float, 3>& expected,
                                const Buffer<float, 3>& actual) {
  const bool few = rows > 1 && rows <= tile_kernels().few_rows;
  return few ? close(expected, actual, 2e-5, 2.6e-6) : equal(expected, actual);
}

// Small integers, whose sums are exact in any order.
void fill_integers(TensorView<float, 2> x, Random& random) {
  for (float& each : std::span(x.data(), static_cast<std::size_t>(x.count()))) {
    each = static_cast<float>(random.below(9)) - 4;
  }
}

class Prepared : public ::testing::Test {
 protected:
  Scratch scratch;
  Parallel parallel{2};
};

// Widths whose projections begin with a panel and widths whose projections do not; with and without
// grouping.
TEST_F(Prepared, BlocksGiveTheSame) {
  for (const Index width : {24, 64, 128}) {
    for (const Index tokens : {1, 5, 66}) {
      Random random(4);
      WeightSource source(random, false);
      const TransformerBlockWeights weights = source.block(width, 3 * width);
      const DecoderBlockWeights decoder = source.decoder_block(width, 2 * width);
      PreparedWeights prepared;
      const TransformerBlockWeights packed = prepared.prepare(weights, parallel);
      EXPECT_GE(prepared.bytes(), static_cast<std::size_t>(10 * width * width) * sizeof(float));
      const DecoderBlockWeights packed_decoder = prepared.prepare(decoder, parallel);
      zip_parameters(
          [&](const ParameterName& name, const auto& view, const auto& own) {
            EXPECT_EQ(static_cast<bool>(view), static_cast<bool>(own)) << name.text();
            if constexpr (requires { view.packed(); }) {
              EXPECT_EQ(view.floats().data(), own.floats().data()) << name.text();
              EXPECT_EQ(static_cast<bool>(view.packed()), static_cast<bool>(own)) << name.text();
            }
          },
          packed_decoder, decoder);

      Buffer<float, 3> x({2, tokens, width}), expected(x.shape()), actual(x.shape());
      fill_normal(x.view(), random);
      transformer_block(x, weights, {.heads = 4}, expected, {scratch, parallel});
      transformer_block(x, packed, {.heads = 4}, actual, {scratch, parallel});
      EXPECT_TRUE(same(2 * tokens, expected, actual)) << width << " " << tokens;
      decoder_block(x, expected, decoder, {.heads = 2}, actual, {scratch, parallel});
      Buffer<float, 3> other(x.shape());
      decoder_block(x, expected, packed_decoder, {.heads = 2}, other, {scratch, parallel});
      EXPECT_TRUE(same(2 * tokens, actual, other)) << width << " " << tokens;
    }
  }
}

TEST_F(Prepared, TransformerGivesTheSame) {
  Random random(5);
  WeightSource source(random, true);
  const TransformerWeights weights = source.transformer(2, 2, 32, 48);
  PreparedWeights prepared;
  const TransformerWeights packed = prepared.prepare(weights, parallel);
  Buffer<float, 3> from({2, 7, 32}), to({2, 5, 32}), expected(to.shape()), actual(to.shape());
  fill_normal(from.view(), random);
  fill_normal(to.view(), random);
  transformer(from, to, weights, {.heads = 4}, expected, {scratch, parallel});
  transformer(from, to, packed, {.heads = 4}, actual, {scratch, parallel});
  EXPECT_TRUE(same(10, expected, actual));
}

// Separate projections for keys and values, with more rows than few_rows.
TEST_F(Prepared, AttentionTakesSeparateProjections) {
  Random random(6);
  Buffer<float, 2> q({64, 16}), k({32, 20}), v({32, 20}), out({16, 64});
  for (Buffer<float, 2>* each : {&q, &k, &v, &out}) fill_normal(each->view(), random);
  const MultiHeadWeights weights{
      .q_proj_weight = q, .k_proj_weight = k, .v_proj_weight = v, .out_proj_weight = out};
  Buffer<float, 3> x({2, 13, 16}), context({2, 14, 20}), expected(x.shape()), actual(x.shape());
  fill_normal(x.view(), random);
  fill_normal(context.view(), random);
  const MultiHeadOptions options{.heads = 4, .kv_heads = 2, .context = context};
  PreparedWeights prepared;
  const MultiHeadWeights packed = prepared.prepare(weights, parallel);
  multi_head_attention(x, weights, options, expected, {scratch, parallel});
  multi_head_attention(x, packed, options, actual, {scratch, parallel});
  EXPECT_TRUE(equal(expected, actual));
}

// Weights may change, as in a training step: a copy has the numbers that were packed, and preparing
// again packs again.
TEST_F(Prepared, ACopyIsOfTheNumbersThatWerePacked) {
  Random random(7);
  Buffer<float, 2> x({5, 40}), weight({70, 40}), before({5, 70}), expected({5, 70}),
      actual({5, 70});
  fill_integers(x.view(), random);
  fill_integers(weight.view(), random);
  PreparedWeights prepared;
  const Weight first = prepared.pack(weight, parallel);
  linear(x, weight, {}, before, {scratch, parallel});
  fill_integers(weight.view(), random);
  linear(x, first, {}, actual, {scratch, parallel});
  EXPECT_TRUE(equal(before, actual));
  linear(x, weight, {}, expected, {scratch, parallel});
  linear(x, prepared.pack(weight, parallel), {}, actual, {scratch, parallel});
  EXPECT_TRUE(equal(expected, actual));
}

// Copies keep their addresses, so that weights can point to any number of them.
TEST_F(Prepared, CopiesStayWhileMoreArePacked) {
  Random random(8);
  Buffer<float, 2> x({30, 20}), expected({30, 50}), actual({30, 50});
  std::vector<Buffer<float, 2>> matrices;
  std::vector<Weight> packed;
  PreparedWeights prepared;
  fill_integers(x.view(), random);
  for (int n = 0; n < 40; ++n) {
    fill_integers(matrices.emplace_back(Shape<2>{50, 20}).view(), random);
    packed.push_back(prepared.pack(matrices.back(), parallel));
  }
  const PreparedWeights moved = std::move(prepared);
  EXPECT_GE(moved.bytes(), 40u * 50 * 20 * sizeof(float));
  for (std::size_t n = 0; n < packed.size(); ++n) {
    linear(x, matrices[n], {}, expected, {scratch, parallel});
    linear(x, packed[n], {}, actual, {scratch, parallel});
    ASSERT_TRUE(equal(expected, actual)) << n;
  }
}

TEST_F(Prepared, RefusesWhatHasNoElements) {
  Buffer<float, 2> numbers({3, 20});
  const MatrixView<const float> none(numbers.data(), {0, 20});
  PreparedWeights prepared;
  EXPECT_NE(error_of([&] {
              prepared.prepare(LinearWeights{none, {}});
            }).find("PackedMatrix: b:"),
            std::string::npos);
  EXPECT_EQ(prepared.bytes(), 0u);
}

TEST_F(Prepared, NoneStaysNone) {
  PreparedWeights prepared;
  EXPECT_FALSE(prepared.prepare(LinearWeights{}, parallel).weight);
  EXPECT_FALSE(prepared.prepare(MultiHeadWeights{}, parallel).in_proj_weight);
  EXPECT_EQ(prepared.bytes(), 0u);
}

}  // namespace
}  // namespace tril
