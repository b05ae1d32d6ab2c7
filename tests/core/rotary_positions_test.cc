// Rotary positions against complex numbers in double: pair (a, b) at position p is (a + i b) e^(i p
// turn).
#include <gtest/gtest.h>
#include <tril/layers/rotary_positions.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::uniform;

constexpr RotaryPairs kPairings[] = {RotaryPairs::halves, RotaryPairs::interleaved};

struct Table {
  Buffer<float, 2> cosine, sine;
  // The part as a table for every one of `batches`.
  TensorView<const float, 3> all(const Buffer<float, 2>& part, Index batches) const {
    return {part.data(), {batches, part.shape()[0], part.shape()[1]}, {0, part.shape()[1], 1}};
  }
};

Table make_table(const std::vector<std::int32_t>& positions, Index pairs, double base = 10000) {
  const auto tokens = static_cast<Index>(positions.size());
  Table table{Buffer<float, 2>({tokens, pairs}), Buffer<float, 2>({tokens, pairs})};
  rotary_angles(VectorView<const std::int32_t>(positions.data(), {tokens}), base, table.cosine,
                table.sine);
  return table;
}

TEST(RotaryPositions, AnglesAreTheFormulaRoundedOnce) {
  const std::vector<std::int32_t> positions = {0, 1, 2, -3, 100000};
  for (const double base : {10000.0, 500000.0, 0.5}) {
    const Table table = make_table(positions, 7, base);
    for (Index n = 0; n < 5; ++n) {
      for (Index i = 0; i < 7; ++i) {
        const double angle = positions[static_cast<std::size_t>(n)] *
                             std::pow(base, -2.0 * static_cast<double>(i) / 14);
        EXPECT_NEAR(table.cosine.view()[n][i], std::cos(angle), 0x1p-25 + 1e-10);
        EXPECT_NEAR(table.sine.view()[n][i], std::sin(angle), 0x1p-25 + 1e-10);
      }
    }
  }
}

// The speed as transformers.modeling_rope_utils computes it, with its names.
double scaled_speed(double base, Index i, Index width, const RotaryScaling& scaling) {
  const double dim = static_cast<double>(width), factor = scaling.factor;
  const double old_context = static_cast<double>(scaling.original);
  if (scaling.kind == RotaryScalingKind::dynamic && scaling.length > scaling.original) {
    const double length = static_cast<double>(scaling.length);
    base *= std::pow((factor * length / old_context) - (factor - 1), dim / (dim - 2));
  }
  const double speed = 1 / std::pow(base, 2 * static_cast<double>(i) / dim);
  if (scaling.kind == RotaryScalingKind::linear) return speed / factor;
  if (scaling.kind != RotaryScalingKind::llama3) return speed;
  const double wavelength = 2 * std::acos(-1.0) / speed;
  if (wavelength > old_context / scaling.low) return speed / factor;
  if (wavelength < old_context / scaling.high) return speed;
  const double smooth = (old_context / wavelength - scaling.low) / (scaling.high - scaling.low);
  return (1 - smooth) * speed / factor + smooth * speed;
}

TEST(RotaryPositions, AnglesAreScaledAsTheFamiliesDo) {
  const std::vector<std::int32_t> positions = {0, 1, 7, 5000};
  const VectorView<const std::int32_t> at(positions.data(), {4});
  using enum RotaryScalingKind;
  const RotaryScaling scalings[] = {
      {},
      {.kind = linear, .factor = 4},
      {.kind = dynamic, .factor = 4, .original = 2048},
      {.kind = dynamic, .factor = 4, .original = 2048, .length = 5001},
      {.kind = llama3, .factor = 32, .original = 8192}};
  for (const RotaryScaling& scaling : scalings) {
    int different = 0;
    for (const Index pairs : {1, 2, 32}) {
      Buffer<float, 2> cosine({4, pairs}), sine({4, pairs});
      rotary_angles(at, 500000, scaling, cosine, sine);
      for (Index n = 0; n < 4; ++n) {
        for (Index i = 0; i < pairs; ++i) {
          // A single pair rotates by 1 for any base, where the formula divides by 0.
          const double speed = pairs == 1 && scaling.kind == dynamic
                                   ? 1
                                   : scaled_speed(500000, i, 2 * pairs, scaling);
          const double angle = positions[static_cast<std::size_t>(n)] * speed;
          EXPECT_NEAR(cosine.view()[n][i], std::cos(angle), 0x1p-25 + 1e-10);
          EXPECT_NEAR(sine.view()[n][i], std::sin(angle), 0x1p-25 + 1e-10);
          different += speed != scaled_speed(500000, i, 2 * pairs, {});
        }
      }
    }
    EXPECT_EQ(different > 0, scaling.kind != none && !(scaling.kind == dynamic && !scaling.length));
  }
}

TEST(RotaryPositions, AnglesOfLongropeAreByFactorsOfTheLength) {
  const std::vector<std::int32_t> positions = {0, 1, 7, 5000};
  const VectorView<const std::int32_t> at(positions.data(), {4});
  RotaryScaling scaling{.kind = RotaryScalingKind::longrope,
                        .original = 100,
                        .short_factors = {1, 1.5, 0.75},
                        .long_factors = {1.25, 8, 40},
                        .magnitude = 1.1902380714238083};
  for (const Index length : {0, 100, 101}) {
    scaling.length = length;
    Buffer<float, 2> cosine({4, 3}), sine({4, 3});
    rotary_angles(at, 10000, scaling, cosine, sine);
    for (std::size_t n = 0; n < 4; ++n) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double factor = (length > 100 ? scaling.long_factors : scaling.short_factors)[i];
        const double angle = positions[n] / (factor * std::pow(10000, static_cast<double>(i) / 3));
        const auto row = static_cast<Index>(n), column = static_cast<Index>(i);
        EXPECT_NEAR(cosine.view()[row][column], scaling.magnitude * std::cos(angle),
                    0x1p-24 + 1e-10);
        EXPECT_NEAR(sine.view()[row][column], scaling.magnitude * std::sin(angle), 0x1p-24 + 1e-10);
      }
    }
  }
}

TEST(RotaryPositions, RefusesScalingsOutOfRange) {
  Buffer<std::int32_t, 1> positions({3});
  Buffer<float, 2> cosine({3, 4}), sine({3, 4});
  const auto message = [&](const RotaryScaling& scaling) {
    const std::string text =
        error_of([&] { rotary_angles(positions, 10000, scaling, cosine, sine); });
    EXPECT_EQ(cosine.data()[0], 0);
    return text;
  };
  using enum RotaryScalingKind;
  EXPECT_EQ(message({.kind = linear, .factor = 0}),
            "rotary_angles: scaling.factor: must be finite and above 0, is 0");
  EXPECT_EQ(message({.kind = dynamic, .factor = 0.5}),
            "rotary_angles: scaling.original: must be at least 1, is 0");
  EXPECT_EQ(message({.kind = dynamic, .factor = 0.5, .original = 10}),
            "rotary_angles: scaling.factor: must be at least 1, is 0.5");
  EXPECT_EQ(message({.kind = dynamic, .original = 10, .length = -1}),
            "rotary_angles: scaling.length: must be at least 0, is -1");
  EXPECT_EQ(message({.kind = llama3, .original = 10, .low = 4, .high = 4}),
            "rotary_angles: scaling.high: must be above low, both above 0; they are 4 and 4");
  const std::vector<double> four = {1, 1, 1, 1}, wrong = {1, 1, 0, 1};
  EXPECT_EQ(message({.kind = longrope}),
            "rotary_angles: scaling.original: must be at least 1, is 0");
  EXPECT_EQ(message({.kind = longrope, .original = 10, .short_factors = {1}}),
            "rotary_angles: scaling.short_factors: must be 4 numbers, one a pair, are 1");
  EXPECT_EQ(message({.kind = longrope, .original = 10, .short_factors = four}),
            "rotary_angles: scaling.long_factors: must be 4 numbers, one a pair, are 0");
  EXPECT_EQ(
      message({.kind = longrope, .original = 10, .short_factors = four, .long_factors = wrong}),
      "rotary_angles: scaling.long_factors: must be finite and above 0, is 0");
  EXPECT_EQ(message({.kind = longrope,
                     .original = 10,
                     .short_factors = four,
                     .long_factors = four,
                     .magnitude = -1}),
            "rotary_angles: scaling.magnitude: must be finite and above 0, is -1");
  rotary_angles(positions, 10000, {}, cosine, sine);
  EXPECT_EQ(cosine.data()[0], 1);
}

TEST(RotaryPositions, IsAProductOfComplexNumbers) {
  Random random(31);
  const std::vector<std::int32_t> positions = {0, 1, 2, 3, 50};
  for (const Index width : {2, 3, 8, 20, 33}) {
    for (const Index count : {Index{1}, width / 2}) {
      const Table table = make_table(positions, count);
      for (const RotaryPairs pairs : kPairings) {
        const Buffer<float, 4> x = uniform<4>({2, 3, 5, width}, random);
        Buffer<float, 4> out({2, 3, 5, width});
        Parallel parallel(2);
        rotary_positions(x, table.all(table.cosine, 2), table.all(table.sine, 2), pairs, out,
                         parallel);
        for (Index b = 0; b < 2; ++b) {
          for (Index h = 0; h < 3; ++h) {
            for (Index t = 0; t < 5; ++t) {
              const VectorView<const float> from = x.view()[b][h][t];
              const VectorView<float> to = out.view()[b][h][t];
              for (Index i = 0; i < count; ++i) {
                const Index first = pairs == RotaryPairs::halves ? i : 2 * i;
                const Index second = pairs == RotaryPairs::halves ? count + i : 2 * i + 1;
                const std::complex<double> turn(table.cosine.view()[t][i], table.sine.view()[t][i]);
                const auto expected = std::complex<double>(from[first], from[second]) * turn;
                // Two products of numbers up to 1 and their sum, up to 2: u + u + 2u.
                ASSERT_NEAR(to[first], expected.real(), 0x1p-22);
                ASSERT_NEAR(to[second], expected.imag(), 0x1p-22);
              }
              for (Index c = 2 * count; c < width; ++c) ASSERT_EQ(to[c], from[c]);
            }
          }
        }
      }
    }
  }
}

// A rotation is orthogonal: its transpose, which gradients go through, is the rotation by the
// opposite angle.
TEST(RotaryPositions, GoesBackByTheOppositeAngle) {
  Random random(36);
  for (const Index width : {2, 3, 8, 33}) {
    const Index count = width / 2;
    const Table table = make_table({0, 1, 2, 3, 50}, count);
    const auto cosine = table.all(table.cosine, 2), sine = table.all(table.sine, 2);
    for (const RotaryPairs pairs : kPairings) {
      const Buffer<float, 4> d_out = uniform<4>({2, 3, 5, width}, random);
      Buffer<float, 4> d_x({2, 3, 5, width}), in_place({2, 3, 5, width});
      Parallel one(1), three(3);
      rotary_positions_backward(d_out, cosine, sine, pairs, d_x, one);
      std::copy_n(d_out.data(), d_out.view().count(), in_place.data());
      rotary_positions_backward(in_place, cosine, sine, pairs, in_place, three);
      EXPECT_TRUE(equal(d_x, in_place));
      for (Index b = 0; b < 2; ++b) {
        for (Index h = 0; h < 3; ++h) {
          for (Index t = 0; t < 5; ++t) {
            const VectorView<const float> from = d_out.view()[b][h][t];
            const VectorView<float> to = d_x.view()[b][h][t];
            for (Index i = 0; i < count; ++i) {
              const Index first = pairs == RotaryPairs::halves ? i : 2 * i;
              const Index second = pairs == RotaryPairs::halves ? count + i : 2 * i + 1;
              const std::complex<double> turn(table.cosine.view()[t][i], table.sine.view()[t][i]);
              const auto expected =
                  std::complex<double>(from[first], from[second]) * std::conj(turn);
              ASSERT_NEAR(to[first], expected.real(), 0x1p-22);  // as in the forward pass
              ASSERT_NEAR(to[second], expected.imag(), 0x1p-22);
            }
            for (Index c = 2 * count; c < width; ++c) ASSERT_EQ(to[c], from[c]);
          }
        }
      }
    }
  }
}

TEST(RotaryPositions, AgreesWithPyTorch) {
  Random random(32);
  const std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 5, 6};
  for (const Index count : {4, 3}) {
    const Table table = make_table(positions, count);
    for (const RotaryPairs pairs : kPairings) {
      const Buffer<float, 4> x = uniform<4>({2, 3, 7, 8}, random);
      Buffer<float, 4> out({2, 3, 7, 8});
      rotary_positions(x, table.all(table.cosine, 2), table.all(table.sine, 2), pairs, out);
      const std::string name = pairs == RotaryPairs::halves ? "halves" : "interleaved";
      // Two products of a cosine or sine, with an error of half an ulp, and a number of at most 1,
      // and their sum, of at most 2: two roundings of 2^-24 per product, one of the sum and one of
      // the file.
      EXPECT_TRUE(close(golden<4>("layers/rotary_" + name + "_" + std::to_string(2 * count)), out,
                        8 * 0x1p-24));
    }
  }
}

TEST(RotaryPositions, ProductsDependOnTheDistanceAlone) {
  Random random(33);
  const Buffer<float, 1> query = uniform<1>({16}, random), key = uniform<1>({16}, random);
  const std::vector<std::int32_t> positions = {0, 1, 2, 3, 10, 11, 12, 13};
  const Table table = make_table(positions, 8);
  // One token repeated at every position.
  const auto everywhere = [](const Buffer<float, 1>& token) {
    return TensorView<const float, 4>(token.data(), {1, 1, 8, 16}, {0, 0, 0, 1});
  };
  Buffer<float, 4> queries({1, 1, 8, 16}), keys({1, 1, 8, 16});
  for (const RotaryPairs pairs : kPairings) {
    rotary_positions(everywhere(query), table.all(table.cosine, 1), table.all(table.sine, 1), pairs,
                     queries);
    rotary_positions(everywhere(key), table.all(table.cosine, 1), table.all(table.sine, 1), pairs,
                     keys);
    const auto product = [&](Index t, Index s) {
      double sum = 0;
      for (Index c = 0; c < 16; ++c) {
        sum += double{queries.view()[0][0][t][c]} * keys.view()[0][0][s][c];
      }
      return sum;
    };
    for (Index t = 0; t < 4; ++t) {
      // Both are sums of 16 products of numbers of at most sqrt(2), each with an error of 8 * 2^-24
      // (above).
      const double bound = 2 * 16 * 2 * std::sqrt(2.0) * 8 * 0x1p-24;
      for (Index s = 0; s < 4; ++s) EXPECT_NEAR(product(t, s), product(t + 4, s + 4), bound);
    }
    EXPECT_GT(std::fabs(product(0, 1) - product(0, 2)), 1e-3);
  }
}

TEST(RotaryPositions, TakesHeadsOfAProjectionTablesPerBatchAndWritesInPlace) {
  Random random(34);
  // [B, T, H * D] viewed as [B, H, T, D].
  Buffer<float, 3> x = uniform<3>({2, 5, 3 * 8}, random);
  const TensorView<float, 4> heads(x.data(), {2, 3, 5, 8}, {5 * 24, 8, 24, 1});
  const Buffer<float, 3> cosine = uniform<3>({2, 5, 4}, random),
                         sine = uniform<3>({2, 5, 4}, random);
  Buffer<float, 4> out({2, 3, 5, 8});
  for (const RotaryPairs pairs : kPairings) {
    Parallel parallel(2);
    rotary_positions(heads, cosine, sine, pairs, out, parallel);
    const float a = heads[1][2][3][0], b = heads[1][2][3][pairs == RotaryPairs::halves ? 4 : 1];
    EXPECT_NEAR(out.view()[1][2][3][0], cosine.view()[1][3][0] * a - sine.view()[1][3][0] * b,
                3 * 0x1p-24);  // for both: two products of at most 1, a sum of at most 2
    rotary_positions(heads, cosine, sine, pairs, heads, parallel);
    EXPECT_TRUE(equal(out, heads));
  }
}

TEST(RotaryPositions, ANaNStaysInItsPair) {
  Random random(35);
  Buffer<float, 4> x = uniform<4>({1, 2, 3, 8}, random), out({1, 2, 3, 8});
  x.view()[0][1][2][1] = std::numeric_limits<float>::quiet_NaN();
  const Table table = make_table({0, 1, 2}, 3);
  rotary_positions(x, table.all(table.cosine, 1), table.all(table.sine, 1), RotaryPairs::halves,
                   out);
  int count = 0;
  for (Index i = 0; i < 48; ++i) count += std::isnan(out.data()[i]);
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(std::isnan(out.view()[0][1][2][1]));
  EXPECT_TRUE(std::isnan(out.view()[0][1][2][4]));
}

TEST(RotaryPositions, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 4> x({1, 2, 3, 8}), out({1, 2, 3, 8}), other({1, 2, 3, 6});
  Buffer<float, 3> table({1, 3, 4}), wide({1, 3, 5}), shorter({1, 2, 4});
  out.data()[0] = 7;
  constexpr RotaryPairs kHalves = RotaryPairs::halves;
  EXPECT_EQ(error_of([&] { rotary_positions({}, table, table, kHalves, out); }),
            "rotary_positions: x: no tensor given");
  EXPECT_EQ(error_of([&] { rotary_positions(x, shorter, table, kHalves, out); }),
            "rotary_positions: cos: shape must be [1, 3, 4], is [1, 2, 4]; x is [1, 2, 3, 8]");
  EXPECT_EQ(error_of([&] { rotary_positions(x, table, wide, kHalves, out); }),
            "rotary_positions: sin: shape must be [1, 3, 4], is [1, 3, 5]; the shape of cos");
  EXPECT_EQ(error_of([&] { rotary_positions(x, wide, wide, kHalves, out); }),
            "rotary_positions: cos: two elements for each of 5 pairs do not fit in width 8; cos is "
            "[1, 3, 5], x is [1, 2, 3, 8]");
  EXPECT_EQ(error_of([&] { rotary_positions(x, table, table, kHalves, other); }),
            "rotary_positions: out: shape must be [1, 2, 3, 8], is [1, 2, 3, 6]; the shape of x");
  EXPECT_EQ(error_of([&] { rotary_positions_backward({}, table, table, kHalves, out); }),
            "rotary_positions_backward: d_out: no tensor given");
  EXPECT_EQ(
      error_of([&] { rotary_positions_backward(x, table, table, kHalves, other); }),
      "rotary_positions_backward: d_x: shape must be [1, 2, 3, 8], is [1, 2, 3, 6]; the shape "
      "of d_out");
  EXPECT_EQ(out.data()[0], 7);
  rotary_positions(x, table, table, kHalves, out);
  EXPECT_EQ(out.data()[0], 0);
  out.data()[0] = 7;
  rotary_positions_backward(x, table, table, kHalves, out);
  EXPECT_EQ(out.data()[0], 0);

  Buffer<std::int32_t, 1> positions({3});
  Buffer<float, 2> cosine({3, 4}), sine({3, 4}), small({2, 4});
  EXPECT_EQ(error_of([&] { rotary_angles(positions, 10000, small, sine); }),
            "rotary_angles: cos: shape must be [3, 4], is [2, 4]; positions is [3]");
  EXPECT_EQ(error_of([&] { rotary_angles(positions, 10000, cosine, small); }),
            "rotary_angles: sin: shape must be [3, 4], is [2, 4]; the shape of cos");
  for (const double base : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_NE(error_of([&] {
                rotary_angles(positions, base, cosine, sine);
              }).find("rotary_angles: base: must be finite and above 0"),
              std::string::npos);
  }
  positions.data()[1] = -2000000000;
  EXPECT_EQ(
      error_of([&] { rotary_angles(positions, 0.0625, cosine, sine); }),
      "rotary_angles: positions: -2000000000 times 8 radians, the fastest pair's, is more than "
      "2^31");
  EXPECT_EQ(cosine.data()[0], 0);
  rotary_angles(positions, 10000, cosine, sine);
  EXPECT_EQ(cosine.data()[0], 1);
}

}  // namespace
}  // namespace tril
