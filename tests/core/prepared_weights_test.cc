// Packed matrices and prepared weights: the same results as without, and what they reject.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>
#include <tril/layers/linear.h>
#include <tril/layers/prepared_weights.h>
#include <tril/matmul/tile_kernels.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "core/block_weights.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::WeightSource;

// The same bits, but where few rows read weights that are not packed where they lie and add in
// another order: there both are within PyTorch's tolerance of the exact result.
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

// Depths of one block and of several, columns that fill the last panel and that do not.
TEST_F(Prepared, LinearGivesTheSame) {
  Random random(1);
  for (const Index rows : {1, 2, 7, 130}) {
    for (const Index in : {1, 64, 300, 1100}) {
      for (const Index out : {1, 33, 64, 300}) {
        Buffer<float, 2> x({rows, in}), weight({out, in}), expected({rows, out}),
            actual({rows, out});
        Buffer<float, 1> bias({out});
        fill_integers(x.view(), random);
        fill_integers(weight.view(), random);
        fill_normal(bias.view(), random);
        const PackedMatrix packed(weight, true, parallel);
        EXPECT_EQ(packed.depth(), in);
        EXPECT_EQ(packed.cols(), out);
        EXPECT_GE(packed.bytes(), static_cast<std::size_t>(in * out) * sizeof(float));
        linear(x, weight, bias, expected, {scratch, parallel});
        linear(x, weight, bias, actual, {scratch, parallel}, {&packed});
        ASSERT_TRUE(equal(expected, actual)) << rows << " " << in << " " << out;
      }
    }
  }
}

// Two neighbours' rows in one packed matrix, as the projections of attention are.
TEST_F(Prepared, LinearTakesTheColumnsFromAPanelOn) {
  Random random(2);
  const Index first = 2 * tile_kernels().panel_cols, out = 40, in = 530, rows = 9;
  Buffer<float, 2> x({rows, in}), weight({first + out + 5, in}), expected({rows, out}),
      actual({rows, out});
  fill_integers(x.view(), random);
  fill_integers(weight.view(), random);
  const PackedMatrix packed(weight, true, parallel);
  const MatrixView<const float> part(weight.view()[first].data(), {out, in});
  linear(x, part, {}, expected, {scratch, parallel});
  linear(x, part, {}, actual, {scratch, parallel}, {&packed, first});
  EXPECT_TRUE(equal(expected, actual));
}

TEST_F(Prepared, LinearRejectsWhatWasPackedFromAnotherShape) {
  Random random(3);
  Buffer<float, 2> x({3, 20}), weight({200, 20}), other({200, 21}), out({3, 200});
  std::fill_n(out.data(), 600, -7.0f);
  const PackedMatrix deeper(other, true, parallel), packed(weight, true, parallel), none;
  for (const PackedColumns& wrong :
       {PackedColumns{&deeper}, PackedColumns{&none}, PackedColumns{&packed, 1},
        PackedColumns{&packed, tile_kernels().panel_cols}, PackedColumns{&packed, -64}}) {
    const std::string message = error_of([&] {
      linear(x, weight, {}, out, {scratch, parallel}, wrong);
    });
    EXPECT_NE(message.find("not the transpose of [200, 20]"), std::string::npos) << message;
  }
  EXPECT_EQ(std::count(out.data(), out.data() + 600, -7.0f), 600);
  linear(x, weight, {}, out, {scratch, parallel}, {&packed});
  EXPECT_EQ(std::count(out.data(), out.data() + 600, 0.0f), 600);
}

// Widths whose projections begin with a panel and ones whose do not; with and without grouping.
TEST_F(Prepared, BlocksGiveTheSame) {
  for (const Index width : {24, 64, 128}) {
    for (const Index tokens : {1, 5, 66}) {
      Random random(4);
      WeightSource source(random, false);
      const TransformerBlockWeights weights = source.block(width, 3 * width);
      const DecoderBlockWeights decoder = source.decoder_block(width, 2 * width);
      PreparedWeights prepared;
      prepared.prepare(weights, parallel);
      EXPECT_GE(prepared.bytes(), static_cast<std::size_t>(10 * width * width) * sizeof(float));
      prepared.prepare(decoder, parallel);
      for_each_parameter(decoder, [&](const ParameterName& name, const auto& view) {
        if constexpr (requires { view.floats(); }) {
          EXPECT_EQ(prepared.find(view.floats()) != nullptr, static_cast<bool>(view))
              << name.text();
        }
      });

      Buffer<float, 3> x({2, tokens, width}), expected(x.shape()), actual(x.shape());
      fill_normal(x.view(), random);
      transformer_block(x, weights, {.heads = 4}, expected, {scratch, parallel});
      transformer_block(x, weights, {.heads = 4}, actual, {scratch, parallel}, {}, &prepared);
      EXPECT_TRUE(same(2 * tokens, expected, actual)) << width << " " << tokens;
      decoder_block(x, expected, decoder, {.heads = 2}, actual, {scratch, parallel});
      Buffer<float, 3> other(x.shape());
      decoder_block(x, expected, decoder, {.heads = 2}, other, {scratch, parallel}, {}, &prepared);
      EXPECT_TRUE(same(2 * tokens, actual, other)) << width << " " << tokens;
    }
  }
}

TEST_F(Prepared, TransformerGivesTheSame) {
  Random random(5);
  WeightSource source(random, true);
  const TransformerWeights weights = source.transformer(2, 2, 32, 48);
  PreparedWeights prepared;
  prepared.prepare(weights, parallel);
  Buffer<float, 3> from({2, 7, 32}), to({2, 5, 32}), expected(to.shape()), actual(to.shape());
  fill_normal(from.view(), random);
  fill_normal(to.view(), random);
  transformer(from, to, weights, {.heads = 4}, expected, {scratch, parallel});
  transformer(from, to, weights, {.heads = 4}, actual, {scratch, parallel}, {}, &prepared);
  EXPECT_TRUE(same(10, expected, actual));
}

// Projections of their own for keys and values, of more rows than are few.
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
  prepared.prepare(weights, parallel);
  multi_head_attention(x, weights, options, expected, {scratch, parallel});
  multi_head_attention(x, weights, options, actual, {scratch, parallel}, {}, &prepared);
  EXPECT_TRUE(equal(expected, actual));
}

// As a step of training changes weights: what was packed before is never used, and the copies made
// after it lie where the old ones did.
TEST_F(Prepared, NoCopyOutlivesTheWeights) {
  Random random(7);
  Buffer<float, 2> x({5, 40}), weight({70, 40}), other({70, 40}), expected({5, 70}),
      actual({5, 70});
  for (Buffer<float, 2>* each : {&x, &weight, &other}) fill_integers(each->view(), random);
  PreparedWeights prepared;
  prepared.prepare(LinearWeights{.weight = weight}, parallel);
  prepared.prepare(LinearWeights{.weight = other}, parallel);
  const PackedMatrix* const before = prepared.find(weight);
  const std::size_t bytes = prepared.bytes();
  ASSERT_NE(before, nullptr);

  fill_integers(weight.view(), random);
  prepared.invalidate();
  EXPECT_EQ(prepared.generation(), 1u);
  EXPECT_EQ(prepared.find(weight), nullptr);
  EXPECT_EQ(prepared.find(other), nullptr);
  prepared.prepare(LinearWeights{.weight = weight}, parallel);
  EXPECT_EQ(prepared.find(weight), before);
  EXPECT_EQ(prepared.find(other), nullptr);
  EXPECT_EQ(prepared.bytes(), bytes);
  linear(x, weight, {}, expected, {scratch, parallel});
  linear(x, weight, {}, actual, {scratch, parallel}, {prepared.find(weight)});
  EXPECT_TRUE(equal(expected, actual));

  prepared.drop(weight);
  prepared.drop(weight);
  EXPECT_EQ(prepared.find(weight), nullptr);
  EXPECT_EQ(prepared.bytes(), bytes / 2);
}

// A matrix, its first rows, its first columns and its later rows are four matrices.
TEST_F(Prepared, KnowsMatricesByPlaceAndShape) {
  Buffer<float, 2> weight({130, 50});
  const MatrixView<const float> whole = weight;
  const MatrixView<const float> parts[] = {whole,
                                           {whole.data(), {70, 50}},
                                           {whole.data(), {130, 20}, {50, 1}},
                                           {whole.data(), {130, 20}},
                                           {whole[60].data(), {70, 50}}};
  PreparedWeights prepared;
  for (const auto& part : parts) {
    EXPECT_EQ(prepared.find(part), nullptr);
    prepared.pack(part, parallel);
  }
  for (const auto& part : parts) {
    ASSERT_NE(prepared.find(part), nullptr);
    EXPECT_EQ(prepared.find(part)->cols(), part.size(0));
    EXPECT_EQ(prepared.find(part)->depth(), part.size(1));
    prepared.drop(part);
    EXPECT_EQ(prepared.find(part), nullptr);
  }
  EXPECT_EQ(prepared.bytes(), 0u);
}

TEST_F(Prepared, NoneStaysNone) {
  PreparedWeights prepared;
  prepared.prepare(LinearWeights{}, parallel);
  prepared.prepare(MultiHeadWeights{}, parallel);
  EXPECT_EQ(prepared.bytes(), 0u);
  EXPECT_EQ(prepared.find({}), nullptr);
}

}  // namespace
}  // namespace tril
