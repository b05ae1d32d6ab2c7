// Matrices of every kind: widened numbers, and products with them. Products with 16-bit numbers
// equal those with the floats of the same values, bit for bit; those with q8_0 and packed floats
// are within the rounding error.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/files/stored_tensor.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/half.h>
#include <tril/foundation/random.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/linear.h>
#include <tril/layers/prepared_weights.h>
#include <tril/matmul/q8_0.h>
#include <tril/matmul/vector_kernels.h>
#include <tril/matmul/weight.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/bounded.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::equal;
using testing::error_of;
using testing::expect_bounded;
using testing::Sum;
using testing::Values;

constexpr WeightKind kNarrow[] = {WeightKind::float16, WeightKind::bfloat16};
constexpr WeightKind kKinds[] = {WeightKind::float16, WeightKind::bfloat16, WeightKind::q8_0};

std::string text_of(WeightKind kind) { return std::string(name_of(kWeightKinds, kind)); }

// The floats that files with these numbers are read as.
std::vector<float> floats_of(WeightKind kind, const std::vector<std::uint16_t>& bits) {
  std::vector<std::byte> bytes(bits.size() * 2);
  std::memcpy(bytes.data(), bits.data(), bytes.size());
  std::vector<float> floats(bits.size());
  const bool half = kind == WeightKind::float16;
  read_elements({.type = half ? ElementType::float16 : ElementType::bfloat16,
                 .shape = {static_cast<Index>(bits.size())},
                 .bytes = bytes},
                std::span<float>(floats));
  return floats;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// A matrix of a kind, and its values as floats: all kinds of finite numbers, including subnormals
// and both zeros. The memory after it must not be read: it would be NaN.
struct Matrix {
  std::vector<std::byte> bytes;
  Weight weight;
  Buffer<float, 2> floats;

  Matrix(WeightKind kind, Index rows, Index cols, std::uint64_t seed) : floats({rows, cols}) {
    const WeightFormat& format = weight_format(kind);
    const std::size_t row_bytes = format.row_bytes(cols);
    bytes.assign(static_cast<std::size_t>(rows) * row_bytes + 64, std::byte{0x7f});
    Random random(seed);
    for (Index row = 0; row < rows; ++row) {
      std::byte* const to = bytes.data() + static_cast<std::size_t>(row) * row_bytes;
      if (kind == WeightKind::q8_0) {
        fill_blocks(random, cols, to, floats.view()[row].data());
      } else {
        fill_numbers(kind, random, cols, to, floats.view()[row].data());
      }
    }
    weight = {format, bytes.data(), rows, cols};
  }

  static void fill_numbers(WeightKind kind, Random& random, Index cols, std::byte* to,
                           float* floats) {
    const std::uint32_t exponents = kind == WeightKind::float16 ? 24 : 140;
    const int fraction = kind == WeightKind::float16 ? 10 : 7;
    std::vector<std::uint16_t> numbers;
    for (Index col = 0; col < cols; ++col) {
      const std::uint64_t sign = random.below(2) << 15;
      const std::uint64_t size = random.below((exponents << fraction) + 1);
      numbers.push_back(static_cast<std::uint16_t>(sign | (random.below(9) == 0 ? 0 : size)));
    }
    const std::vector<float> read = floats_of(kind, numbers);
    std::copy(read.begin(), read.end(), floats);
    std::memcpy(to, numbers.data(), numbers.size() * 2);
  }

  static void fill_blocks(Random& random, Index cols, std::byte* to, float* floats) {
    for (Index first = 0; first < cols; first += kQ8Block, to += sizeof(Q8Block)) {
      Q8Block block{};
      block.scale = static_cast<std::uint16_t>(random.below(25 << 10));
      for (Index i = 0; i < std::min(kQ8Block, cols - first); ++i) {
        block.quants[i] = static_cast<std::int8_t>(static_cast<int>(random.below(256)) - 128);
        floats[first + i] = from_half(block.scale) * static_cast<float>(block.quants[i]);
      }
      std::memcpy(to, &block, sizeof(block));
    }
  }
};

void fill(const MatrixView<float>& view, std::uint64_t seed) {
  Random random(seed);
  for (Index i = 0; i < view.count(); ++i) view.data()[i] = random.normal();
}

TEST(Weight, EveryNumberOf16BitsIsWidenedExactly) {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t n = 0; n < bits.size(); ++n) bits[n] = static_cast<std::uint16_t>(n);
  const auto* const row = reinterpret_cast<const std::byte*>(bits.data());
  for (const WeightKind kind : kNarrow) {
    const std::vector<float> expected = floats_of(kind, bits);
    for (const Isa isa : available_isas()) {
      SCOPED_TRACE(text_of(kind) + " " + isa_name(isa));
      std::vector<float> actual(bits.size() + 1, -7.0f);
      weight_format(kind, isa).widen(row, 0, 65536, actual.data());
      int wrong = 0;
      for (std::size_t n = 0; n < bits.size(); ++n) wrong += !same_bits(expected[n], actual[n]);
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(actual.back(), -7.0f);
    }
  }
}

// From any start and of any length: around the sizes of registers and blocks, and one by one at the
// end.
TEST(Weight, PartsOfARowAreWidened) {
  for (const WeightKind kind : kKinds) {
    const Matrix matrix(kind, 2, 150, 3);
    const float* const expected = matrix.floats.view()[1].data();
    for (const Isa isa : available_isas()) {
      SCOPED_TRACE(text_of(kind) + " " + isa_name(isa));
      for (const Index first : {0, 1, 16, 31, 32, 33, 70}) {
        for (Index count = 0; count <= 80; ++count) {
          std::vector<float> part(static_cast<std::size_t>(count) + 1, -7.0f);
          weight_format(kind, isa).widen(matrix.weight.row(1), first, count, part.data());
          for (Index n = 0; n < count; ++n) {
            ASSERT_EQ(part[static_cast<std::size_t>(n)], expected[first + n]);
          }
          ASSERT_EQ(part.back(), -7.0f);
        }
      }
    }
  }
}

constexpr Index kDepths[] = {1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 64, 100, 257};

TEST(Weight, DotProductsOf16BitsAreThoseOfFloats) {
  for (const WeightKind kind : kNarrow) {
    for (const Isa isa : available_isas()) {
      for (const Index depth : kDepths) {
        for (const Index cols : {1, 2, 4, 5, 15, 16, 17, 35}) {
          const Matrix matrix(kind, cols, depth, 1);
          Buffer<float, 2> x({1, depth}), expected({1, cols}), actual({1, cols});
          fill(x, 2);
          fill(expected, 3);
          std::copy_n(expected.data(), cols, actual.data());
          for (const bool accumulate : {false, true}) {
            const TileOutput to{expected.data(), 1, 0.5f, accumulate};
            vector_kernels(isa).dot_rows(x.data(), matrix.floats.data(), depth, depth, cols, to);
            weight_format(kind, isa).dot_rows(x.data(), matrix.weight.row(0), depth, cols,
                                              {actual.data(), 1, 0.5f, accumulate});
            ASSERT_TRUE(equal(expected, actual)) << isa_name(isa) << " " << depth << " " << cols;
          }
        }
      }
    }
  }
}

// x W^T of floats in double, with its rounding error. Accumulating to an element adds a term. A
// block of q8_0 adds its terms before it multiplies them with their scale: one more rounding per
// term.
Values<Bounded> bounded_product(const MatrixView<const float>& x,
                                const MatrixView<const float>& weight,
                                const MatrixView<const float>& before = {}) {
  Values<Bounded> expected;
  for (Index n = 0; n < x.size(0); ++n) {
    for (Index m = 0; m < weight.size(0); ++m) {
      Sum<Bounded> sum;
      for (Index k = 0; k < x.size(1); ++k) {
        sum.add(Bounded(x[n][k]) * Bounded(weight[m][k]) * Bounded(1));
      }
      if (before) sum.add(before[n][m]);
      expected.push_back(sum.value());
    }
  }
  return expected;
}

TEST(Weight, DotProductsOfBlocksAreThoseOfFloatsToRounding) {
  for (const Isa isa : available_isas()) {
    for (const Index depth : kDepths) {
      for (const Index cols : {1, 2, 4, 5, 15, 16, 17, 35}) {
        SCOPED_TRACE(std::string(isa_name(isa)) + " " + std::to_string(depth));
        const Matrix matrix(WeightKind::q8_0, cols, depth, 1);
        Buffer<float, 2> x({1, depth}), before({1, cols}), actual({1, cols});
        fill(x, 2);
        fill(before, 3);
        const auto& kernels = weight_format(WeightKind::q8_0, isa);
        kernels.dot_rows(x.data(), matrix.weight.row(0), depth, cols, {actual.data(), 1});
        expect_bounded(bounded_product(x, matrix.floats), actual.view(), "product");
        std::copy_n(before.data(), cols, actual.data());
        kernels.dot_rows(x.data(), matrix.weight.row(0), depth, cols, {actual.data(), 1, 1, true});
        expect_bounded(bounded_product(x, matrix.floats, before), actual.view(), "sum");
      }
    }
  }
}

TEST(Weight, LinearLayersAreThoseOfFloats) {
  Scratch scratch;
  for (const WeightKind kind : kKinds) {
    for (const Index rows : {0, 1, 2, 3, 8, 24, 25, 130}) {
      for (const Index in : {1, 2, 3, 16, 65, 520, 1030}) {
        for (const Index out : {1, 2, 15, 16, 67, 300}) {
          const Matrix weight(kind, out, in, 4);
          Buffer<float, 2> x({std::max<Index>(rows, 1), in});
          Buffer<float, 2> expected({std::max<Index>(rows, 1), out}), actual(expected.shape());
          Buffer<float, 1> bias({out});
          fill(x, 5);
          fill({bias.data(), {1, out}}, 6);
          const auto first = [&](Buffer<float, 2>& all) {
            return MatrixView<float>(all.data(), {rows, all.shape()[1]});
          };
          // One row of blocks is summed block by block, the same for any number of threads.
          const bool is_summed_apart = kind == WeightKind::q8_0 && rows == 1;
          for (const bool biased : {false, true}) {
            const VectorView<const float> added = biased ? bias : VectorView<const float>();
            Parallel one(1), three(3);
            linear(first(x), is_summed_apart ? weight.weight : Weight(weight.floats), added,
                   first(expected), {scratch, one});
            for (Parallel* parallel : {&one, &three}) {
              std::fill_n(actual.data(), actual.view().count(), 0.0f);
              linear(first(x), weight.weight, added, first(actual), {scratch, *parallel});
              ASSERT_TRUE(equal(expected, actual))
                  << text_of(kind) << " " << rows << " " << in << " " << out;
            }
          }
        }
      }
    }
  }
}

TEST(Weight, InfinitiesAndNaNGoThrough) {
  for (const WeightKind kind : kKinds) {
    Matrix weight(kind, 3, 40, 7);
    const auto set = [&](Index row, Index col, std::uint16_t bits) {
      std::byte* const to = weight.bytes.data() + (weight.weight.row(row) - weight.weight.row(0));
      std::memcpy(to + 2 * col, &bits, 2);
    };
    const std::uint16_t infinity = kind == WeightKind::bfloat16 ? 0x7f80 : 0x7c00;
    if (kind == WeightKind::q8_0) {  // scales; the first quant of their blocks is 1
      set(0, 0, infinity);
      set(1, 0, static_cast<std::uint16_t>(infinity | 0x8000));
      set(2, 0, static_cast<std::uint16_t>(infinity | 1));
      for (Index row = 0; row < 3; ++row) {
        for (Index col = 1; col < 17; ++col) set(row, col, 0x0101);
      }
    } else {
      set(0, 5, infinity);
      set(1, 39, static_cast<std::uint16_t>(infinity | 0x8000));
      set(2, 0, static_cast<std::uint16_t>(infinity | 1));
    }
    for (const Index rows : {1, 4, 60}) {
      Buffer<float, 2> x({rows, 40}), out({rows, 3});
      std::fill_n(x.data(), rows * 40, 1.0f);
      linear(x, weight.weight, {}, out);
      for (Index n = 0; n < rows; ++n) {
        EXPECT_EQ(out.view()[n][0], HUGE_VALF);
        EXPECT_EQ(out.view()[n][1], -HUGE_VALF);
        EXPECT_TRUE(std::isnan(out.view()[n][2]));
      }
    }
  }
}

TEST(Weight, RefusesWhatDoesNotFit) {
  for (const WeightKind kind : kKinds) {
    Buffer<float, 2> x({2, 6}), out({2, 4});
    Matrix good(kind, 4, 6, 8), wide(kind, 4, 8, 8);
    std::fill_n(out.data(), 8, -7.0f);
    EXPECT_EQ(error_of([&] { linear(x, wide.weight, {}, out); }),
              "linear: weight: width 8 does not match x's; x is [2, 6], weight is [4, 8]");
    EXPECT_EQ(error_of([&] { linear(x, Weight(), {}, out); }), "linear: weight: no tensor given");
    const MatrixView<float> over(reinterpret_cast<float*>(good.bytes.data()), {2, 4});
    EXPECT_EQ(error_of([&] { linear(x, good.weight, {}, over); }),
              "linear: out: shares memory with an input; shapes [2, 4] and [4, 6]");
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(out.data()[i], -7.0f);
    linear(x, good.weight, {}, out);
    EXPECT_EQ(out.data()[0], 0.0f);
  }
}

TEST(Weight, OnlyFloatsHaveGradients) {
  const Matrix first(WeightKind::q8_0, 8, 4, 1), second(WeightKind::bfloat16, 4, 8, 2);
  Buffer<float, 2> x({3, 4}), d_out({3, 4}), d_x({3, 4}), hidden({3, 8}), activated({3, 8});
  FeedForwardWeights weights{{first.floats, {}}, {second.weight, {}}};
  const auto backward = [&] {
    feed_forward_backward(d_out, x, weights, Activation::relu, {hidden, activated}, {.d_x = d_x});
  };
  EXPECT_EQ(error_of(backward),
            "feed_forward_backward: linear2.weight: must be float32, is bfloat16");
  weights.linear2.weight = second.floats;
  backward();
}

TEST(Weight, OfAnotherKindIsNotPacked) {
  const Matrix matrix(WeightKind::bfloat16, 5, 8, 9);
  PreparedWeights prepared;
  EXPECT_FALSE(prepared.prepare(LinearWeights{matrix.weight, {}}).weight.packed());
  EXPECT_EQ(prepared.bytes(), 0u);
  EXPECT_TRUE(prepared.prepare(LinearWeights{matrix.floats, {}}).weight.packed());
}

// Depths of one block and of several, columns that fill the last panel and columns that do not.
// With many rows the bits are those of unpacked floats, the same for any number of threads.
TEST(PackedWeight, LinearLayersAreTheirDoubles) {
  Scratch scratch;
  Parallel one(1), three(3);
  for (const Index rows : {1, 2, 7, 30}) {
    for (const Index in : {1, 64, 300, 600}) {
      for (const Index out : {1, 33, 64, 150}) {
        Buffer<float, 2> x({rows, in}), floats({out, in}), expected({rows, out});
        Buffer<float, 2> actual({rows, out}), other({rows, out});
        fill(x, 1);
        fill(floats, 2);
        const PackedMatrix packed(floats, true, three);
        const Weight weight(floats, packed);
        EXPECT_EQ(weight.kind(), WeightKind::float32);
        EXPECT_GE(packed.bytes(), static_cast<std::size_t>(in * out) * sizeof(float));
        linear(x, weight, {}, actual, {scratch, one});
        expect_bounded(bounded_product(x, floats), actual.view(), "product", 4e-3);
        linear(x, weight, {}, other, {scratch, three});
        ASSERT_TRUE(equal(actual, other)) << rows << " " << in << " " << out;
        if (rows > 1 && rows <= tile_kernels().few_rows) continue;
        linear(x, floats, {}, expected, {scratch, one});
        ASSERT_TRUE(equal(expected, actual)) << rows << " " << in << " " << out;
      }
    }
  }
}

// Rows that begin with a panel are packed, too, like the projections of attention.
TEST(PackedWeight, RowsAreColumnsOfTheCopyFromAPanelOn) {
  const Index panel = tile_kernels().panel_cols, out = 40, in = 530, rows = 30;
  Buffer<float, 2> x({rows, in}), floats({3 * panel + out, in}), expected({rows, out});
  Buffer<float, 2> actual({rows, out});
  fill(x, 3);
  fill(floats, 4);
  const PackedMatrix packed(floats, true, {});
  const Weight weight(floats, packed), later = weight.rows(panel, 2 * panel + out);
  for (const Weight& part : {weight.rows(2 * panel, out), later.rows(panel, out)}) {
    EXPECT_EQ(part.packed().matrix, &packed);
    EXPECT_EQ(part.packed().first, 2 * panel);
    EXPECT_EQ(part.row(0), weight.row(2 * panel));
    linear(x, part.floats(), {}, expected);
    linear(x, part, {}, actual);
    EXPECT_TRUE(equal(expected, actual));
  }
  EXPECT_FALSE(weight.rows(1, out).packed());
  EXPECT_FALSE(later.rows(panel + 1, out).packed());
}

TEST(PackedWeight, RefusesWhatWasPackedFromAnotherShape) {
  Buffer<float, 2> floats({20, 6}), deeper({20, 7}), wider({21, 6});
  const PackedMatrix packed(floats, true, {}), straight(floats, false, {}), none;
  const auto error = [&](const MatrixView<const float>& of, const PackedMatrix& with) {
    return error_of([&] { Weight(of, with); });
  };
  const std::string is_not = " is not the shape of the transpose of ";
  EXPECT_EQ(error(deeper, packed), "Weight: packed: [6, 20]" + is_not + "[20, 7]");
  EXPECT_EQ(error(wider, packed), "Weight: packed: [6, 20]" + is_not + "[21, 6]");
  EXPECT_EQ(error(floats, straight), "Weight: packed: [20, 6]" + is_not + "[20, 6]");
  EXPECT_EQ(error(floats, none), "Weight: packed: [0, 0]" + is_not + "[20, 6]");
  EXPECT_EQ(error({}, packed), "Weight: packed: [6, 20]" + is_not + "[0, 0]");
  EXPECT_TRUE(Weight(floats, packed).packed());
}

}  // namespace
}  // namespace tril
