// Wrong input of attention: a clear message, nothing written, and the next call works.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/attention_fixture.h"
#include "core/named_values.h"

namespace tril {
namespace {

using testing::attention_reference;
using testing::close;
using testing::equal;
using testing::error_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Inputs = testing::AttentionInputs;
using Sizes = testing::AttentionDrawSizes;
using AttentionErrors = testing::AttentionTest;

INSTANTIATE_TEST_SUITE_P(Methods, AttentionErrors,
                         ::testing::ValuesIn(testing::values_of(kAttentionMethods)));

TEST_P(AttentionErrors, RejectsWhatDoesNotFit) {
  Random random(11);
  Inputs in({2, 4, 2, 3, 5, 6, 7}, random);
  std::fill_n(in.output.data(), in.output.view().count(), -7.0f);
  const auto rejects = [&](const AttentionOptions& options, const std::string& text,
                           const AttentionTrace& trace = {}) {
    const std::string message = error_of([&] { run(in, options, trace); });
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  Buffer<float, 3> short_sums({2, 4, 2});
  rejects({}, "attention: trace.log_sum_exp: shape must be [2, 4, 3], is [2, 4, 2]",
          {.log_sum_exp = short_sums});
  rejects({}, "attention: trace.log_sum_exp: shares memory with an input",
          {.log_sum_exp = {in.key.data(), {2, 4, 3}}});
  rejects({.scale = kNaN}, "attention: scale: must be finite, is nan");
  rejects({.softcap = -1}, "attention: softcap: must be finite and not negative");
  rejects({.softcap = kInfinity}, "attention: softcap");
  rejects({.past = -1}, "attention: past: must be from 0 to the 5 keys, is -1");
  rejects({.past = 6}, "attention: past: must be from 0 to the 5 keys, is 6");
  rejects({.key_lengths = {1}}, "attention: key_lengths: 1 lengths for 2 batches");
  rejects({.key_lengths = {1, 6}}, "attention: key_lengths: must be from 0 to the 5 keys");
  rejects({.key_lengths = {-1, 5}}, "one is -1");
  rejects({.past = 2, .key_lengths = {1, 5}}, "past and key lengths cannot both be given");
  rejects({.mask = Mask::padding({1})}, "attention: mask: 1 lengths for 2 batches");
  Buffer<float, 4> wrong({2, 4, 3, 4});
  rejects({.mask = Mask::additive(wrong)}, "attention: mask: a dense mask [2, 4, 3, 4]");
  const bool online = GetParam() == AttentionMethod::online;
  const std::string never = "attention: trace: the method online never holds a whole row of scores";
  rejects({},
          online ? never : "attention: trace.scores: shape must be [2, 4, 3, 5], is [2, 4, 3, 4]",
          {.scores = wrong});
  rejects({}, online ? never : "attention: trace.weights: shares memory with an input",
          {.weights = {in.query.data(), {2, 4, 3, 5}}});

  const auto shapes = [&](const Sizes& n, const std::string& text) {
    Inputs bad(n, random);
    const auto call = [&](const Inputs& q, const Inputs& k, const Inputs& v) {
      return error_of([&] {
        attention(q.query, k.key, v.value, {.method = GetParam()}, in.output, {scratch, parallel});
      });
    };
    const std::string message = call(in, bad, in);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  shapes({1, 4, 2, 3, 5, 6, 7}, "attention: key: must have as many batches as query");
  shapes({2, 4, 2, 3, 5, 8, 7}, "attention: key: must be as wide as query");
  shapes({2, 4, 3, 3, 5, 6, 7}, "attention: key: its number of heads must divide that of query");
  shapes({2, 4, 1, 3, 5, 6, 7}, "attention: value: must have the batches, heads and length of key");
  shapes({2, 4, 2, 3, 4, 6, 7}, "key is [2, 2, 4, 6], value is [2, 2, 5, 7]");
  EXPECT_NE(error_of([&] {
              attention(in.query, in.key, in.value, {}, wrong, {scratch, parallel});
            }).find("attention: out: shape must be [2, 4, 3, 7], is [2, 4, 3, 4]"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              attention({}, in.key, in.value, {}, in.output, {scratch, parallel});
            }).find("attention: query: no tensor given"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              attention(in.query, in.key, in.value, {}, {in.value.data(), in.output.shape()},
                        {scratch, parallel});
            }).find("attention: out: shares memory with an input"),
            std::string::npos);

  for (Index i = 0; i < in.output.view().count(); ++i) ASSERT_EQ(in.output.data()[i], -7.0f);
  run(in, {});
  const auto expected =
      attention_reference(in.query, in.key, in.value, 1 / std::sqrt(6.0), 0, testing::no_bias);
  EXPECT_TRUE(close(expected.output, in.output, in.bound(1 / std::sqrt(6.0), 0).output));
}

TEST(AttentionMethods, RejectsOutputsThatOverlap) {
  Random random(1);
  Inputs in({2, 4, 2, 3, 5, 6, 7}, random);
  const auto message = [&](const TensorView<float, 4>& out, const AttentionTrace& trace = {}) {
    return error_of([&] { attention(in.query, in.key, in.value, {}, out, {}, trace); });
  };
  const Shape<4> shape = {2, 4, 3, 7};
  float* const data = in.output.data();
  const std::string overlap = "attention: out: its elements overlap; shape is [2, 4, 3, 7]";
  for (const Shape<4>& strides : {Shape<4>{84, 0, 7, 1}, {84, 21, 6, 1}, {80, 21, 7, 1}}) {
    EXPECT_EQ(message({data, shape, strides}).find(overlap), 0u) << shape_text<4>(strides);
  }
  Buffer<float, 3> sums({2, 4, 3});
  EXPECT_EQ(message(in.output, {.log_sum_exp = {sums.data(), {2, 4, 3}, {0, 3, 1}}})
                .find("attention: trace.log_sum_exp: its elements overlap"),
            0u);
  for (Index i = 0; i < in.output.view().count(); ++i) ASSERT_TRUE(std::isnan(data[i]));

  // A reversed output is valid, and its overlap with memory before its first element is found.
  attention(in.query, in.key, in.value, {}, {data + 84, shape, {-84, 21, 7, 1}});
  const Buffer<float, 4> turned = std::move(in.output);
  in.output = Buffer<float, 4>(turned.shape());
  attention(in.query, in.key, in.value, {}, in.output);
  EXPECT_TRUE(equal(in.output.view()[0], turned.view()[1]));
  EXPECT_TRUE(equal(in.output.view()[1], turned.view()[0]));
  std::vector<float> memory(300);
  const TensorView<const float, 4> value(memory.data(), {2, 2, 5, 7});
  const TensorView<float, 4> before(memory.data() + 216, shape, {-84, 21, 7, 1});
  EXPECT_NE(error_of([&] {
              attention(in.query, in.key, value, {}, before);
            }).find("attention: out: shares memory with an input"),
            std::string::npos);
}

TEST(AttentionMethods, RejectsAMethodThatThereIsNot) {
  Buffer<float, 4> x({1, 1, 2, 3}), output({1, 1, 2, 3});
  Random random(1);
  fill_normal(x.view(), random);
  std::fill_n(output.data(), 6, -7.0f);
  for (const int method : {-1, 4}) {
    EXPECT_EQ(error_of([&] {
                attention(x, x, x, {.method = static_cast<AttentionMethod>(method)}, output);
              }),
              "attention: method: must be automatic, full, blocked or online (0 to 3), is " +
                  std::to_string(method));
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(output.data()[i], -7.0f);
  }
  attention(x, x, x, {}, output);
  EXPECT_NE(output.data()[0], -7.0f);
}

}  // namespace
}  // namespace tril
