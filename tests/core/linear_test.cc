// Linear layers against double, embeddings, and wrong input.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::kEpsilon;

class Linear : public ::testing::Test {
 protected:
  Scratch scratch;
  Parallel parallel{2};
};

TEST_F(Linear, IsExactOnSmallIntegers) {
  Random random(1);
  for (const Index rows : {1, 2, 17, 64}) {
    for (const Index in : {1, 5, 64, 300}) {
      for (const Index out : {1, 3, 33, TRIL_SANITIZED ? 300 : 2000}) {
        Buffer<float, 2> x({rows, in}), weight({out, in}), actual({rows, out});
        Buffer<double, 2> expected({rows, out});
        Buffer<float, 1> bias({out});
        const auto small = [&](float* data, Index count) {
          for (Index i = 0; i < count; ++i) data[i] = static_cast<float>(random.below(17)) - 8.0f;
        };
        small(x.data(), rows * in);
        small(weight.data(), out * in);
        small(bias.data(), out);
        for (Index n = 0; n < rows; ++n) {
          for (Index o = 0; o < out; ++o) {
            double sum = static_cast<double>(bias.data()[o]);
            for (Index i = 0; i < in; ++i) {
              sum += static_cast<double>(x.view()[n][i]) * static_cast<double>(weight.view()[o][i]);
            }
            expected.view()[n][o] = sum;
          }
        }
        linear(x, weight, bias, actual, {scratch, parallel});
        ASSERT_TRUE(equal(expected, actual)) << rows << " " << in << " " << out;
      }
    }
  }
}

TEST_F(Linear, WritesRowsAnyDistanceApartAndNothingElse) {
  Random random(2);
  Buffer<float, 2> x({3, 4}), weight({5, 4}), wide({3, 9}), out({3, 5});
  fill_normal(x.view(), random);
  fill_normal(weight.view(), random);
  std::fill_n(wide.data(), 27, -7.0f);
  linear(x, weight, {}, out, {scratch, parallel});
  const MatrixView<float> part(wide.data() + 2, {3, 5}, {9, 1});
  linear(x, weight, {}, part, {scratch, parallel});
  EXPECT_TRUE(equal(out.view(), part));
  for (Index n = 0; n < 3; ++n) {
    for (const Index outside : {0, 1, 7, 8}) EXPECT_EQ(wide.view()[n][outside], -7.0f);
  }
}

TEST_F(Linear, RejectsWhatDoesNotFit) {
  Buffer<float, 2> x({2, 3}), weight({4, 3}), out({2, 4}), narrow({4, 2});
  Buffer<float, 1> bias({4}), short_bias({3});
  std::fill_n(out.data(), 8, -7.0f);
  const auto message = [&](MatrixView<const float> w, VectorView<const float> b,
                           MatrixView<float> o) {
    return error_of([&] { linear(x, w, b, o, {scratch, parallel}); });
  };
  EXPECT_EQ(message(narrow, bias, out),
            "linear: weight: width 2 does not match x's; x is [2, 3], weight is [4, 2]");
  EXPECT_EQ(message(weight, short_bias, out),
            "linear: bias: shape must be [4], is [3]; x is [2, 3], weight is [4, 3]");
  EXPECT_EQ(message(weight, bias, narrow),
            "linear: out: shape must be [2, 4], is [4, 2]; x is [2, 3], weight is [4, 3]");
  EXPECT_EQ(message({}, bias, out), "linear: weight: no tensor given");
  EXPECT_NE(message(weight, bias, {weight.data(), {2, 4}}).find("shares memory"),
            std::string::npos);
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(out.data()[i], -7.0f);
  linear(x, weight, bias, out, {scratch, parallel});
  EXPECT_EQ(out.data()[7], 0.0f);
}

TEST(Embedding, PicksRows) {
  Random random(3);
  Buffer<float, 2> table({7, 5}), out({4, 5});
  fill_normal(table.view(), random);
  const std::vector<std::int32_t> ids = {6, 0, 3, 3};
  embedding({ids.data(), {4}}, table, out);
  for (Index n = 0; n < 4; ++n) {
    EXPECT_TRUE(equal(table.view()[ids[static_cast<std::size_t>(n)]], out.view()[n]));
  }
}

TEST(Embedding, RejectsWhatDoesNotFit) {
  Buffer<float, 2> table({7, 5}), out({4, 5}), narrow({4, 4});
  std::fill_n(out.data(), 20, -7.0f);
  const auto message = [&](std::vector<std::int32_t> ids, MatrixView<float> to) {
    return error_of([&] { embedding({ids.data(), {4}}, table, to); });
  };
  EXPECT_EQ(message({0, 1, 7, -1}, out), "embedding: ids: id 7 at 2 is not a row of table [7, 5]");
  EXPECT_EQ(message({0, 1, 2, -1}, out), "embedding: ids: id -1 at 3 is not a row of table [7, 5]");
  EXPECT_EQ(message({0, 1, 2, 3}, narrow),
            "embedding: out: shape must be [4, 5], is [4, 4]; ids is [4], table is [7, 5]");
  EXPECT_NE(message({0, 1, 2, 3}, {table.data(), {4, 5}}).find("shares memory"), std::string::npos);
  for (Index i = 0; i < 20; ++i) EXPECT_EQ(out.data()[i], -7.0f);
}

}  // namespace
}  // namespace tril
