// Matrices of 16-bit numbers: all of them widened, and products with them, which are those with the
// floats that they stand for bit for bit.
#include <gtest/gtest.h>
#include <tril/files/stored_tensor.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/linear.h>
#include <tril/layers/prepared_weights.h>
#include <tril/matmul/narrow_kernels.h>
#include <tril/matmul/vector_kernels.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

constexpr ElementType kTypes[] = {ElementType::float16, ElementType::bfloat16};

const NarrowFormat& format_of(ElementType type, Isa isa = best_isa()) {
  const NarrowKernels& kernels = narrow_kernels(isa);
  return type == ElementType::float16 ? kernels.float16 : kernels.bfloat16;
}

// The floats that files of these numbers are read as.
std::vector<float> floats_of(ElementType type, const std::vector<std::uint16_t>& bits) {
  std::vector<std::byte> bytes;
  for (const std::uint16_t each : bits) {
    bytes.push_back(static_cast<std::byte>(each & 0xff));
    bytes.push_back(static_cast<std::byte>(each >> 8));
  }
  std::vector<float> floats(bits.size());
  const auto count = static_cast<Index>(bits.size());
  read_elements({.type = type, .shape = {count}, .bytes = bytes}, std::span<float>(floats));
  return floats;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// A matrix of all kinds of finite numbers, subnormal ones and both zeros among them, its rows
// `stride` apart, between them what must not be read; and as floats.
struct Matrix {
  std::vector<std::uint16_t> bits;
  NarrowMatrix narrow;
  Buffer<float, 2> floats;

  Matrix(ElementType type, Index rows, Index cols, Index stride, std::uint64_t seed)
      : bits(static_cast<std::size_t>(rows * stride + cols), 0x7fff),  // NaN
        floats({rows, cols}) {
    Random random(seed);
    const std::uint32_t exponents = type == ElementType::float16 ? 24 : 140;
    const int fraction = type == ElementType::float16 ? 10 : 7;
    for (Index row = 0; row < rows; ++row) {
      std::vector<std::uint16_t> numbers;
      for (Index col = 0; col < cols; ++col) {
        const std::uint64_t sign = random.below(2) << 15;
        const std::uint64_t size = random.below((exponents << fraction) + 1);
        numbers.push_back(static_cast<std::uint16_t>(sign | (random.below(9) == 0 ? 0 : size)));
      }
      const std::vector<float> read = floats_of(type, numbers);
      std::copy(read.begin(), read.end(), floats.view()[row].data());
      std::copy(numbers.begin(), numbers.end(), bits.begin() + row * stride);
    }
    narrow = {&format_of(type), bits.data(), rows, cols, stride};
  }
};

void fill(const MatrixView<float>& view, std::uint64_t seed) {
  Random random(seed);
  for (Index i = 0; i < view.count(); ++i) view.data()[i] = random.normal();
}

TEST(NarrowMatrix, EveryNumberIsWidenedExactly) {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t n = 0; n < bits.size(); ++n) bits[n] = static_cast<std::uint16_t>(n);
  for (const ElementType type : kTypes) {
    const std::vector<float> expected = floats_of(type, bits);
    for (const Isa isa : available_isas()) {
      SCOPED_TRACE(std::string(element_name(type)) + " " + isa_name(isa));
      std::vector<float> actual(bits.size() + 1, -7.0f);
      format_of(type, isa).widen(bits.data(), 65536, actual.data());
      int wrong = 0;
      for (std::size_t n = 0; n < bits.size(); ++n) wrong += !same_bits(expected[n], actual[n]);
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(actual.back(), -7.0f);
      // Lengths around those of registers, one by one at the end.
      for (Index count = 0; count < 40; ++count) {
        std::vector<float> part(static_cast<std::size_t>(count) + 1, -7.0f);
        format_of(type, isa).widen(bits.data() + 1000, count, part.data());
        for (Index n = 0; n < count; ++n) {
          ASSERT_EQ(part[static_cast<std::size_t>(n)],
                    expected[static_cast<std::size_t>(1000 + n)]);
        }
        EXPECT_EQ(part.back(), -7.0f);
      }
    }
  }
}

TEST(NarrowMatrix, DotProductsAreThoseOfFloats) {
  for (const ElementType type : kTypes) {
    for (const Isa isa : available_isas()) {
      for (const Index depth : {1, 2, 3, 7, 8, 15, 16, 31, 33, 64, 100, 257}) {
        for (const Index cols : {1, 2, 4, 5, 15, 16, 17, 35}) {
          const Matrix matrix(type, cols, depth, depth + depth % 2 + 4, 1);
          Buffer<float, 2> x({1, depth}), expected({1, cols}), actual({1, cols});
          fill(x, 2);
          fill(expected, 3);
          std::copy_n(expected.data(), cols, actual.data());
          for (const bool accumulate : {false, true}) {
            const TileOutput to{expected.data(), 1, 0.5f, accumulate};
            vector_kernels(isa).dot_rows(x.data(), matrix.floats.data(), depth, depth, cols, to);
            format_of(type, isa).dot_rows(x.data(), matrix.narrow.data, matrix.narrow.stride, depth,
                                          cols, {actual.data(), 1, 0.5f, accumulate});
            ASSERT_TRUE(equal(expected, actual)) << isa_name(isa) << " " << depth << " " << cols;
          }
        }
      }
    }
  }
}

TEST(NarrowMatrix, LinearLayersAreThoseOfFloats) {
  Scratch scratch;
  for (const ElementType type : kTypes) {
    for (const Index rows : {0, 1, 2, 3, 8, 24, 25, 130}) {
      for (const Index in : {1, 2, 3, 16, 65, 520, 1030}) {
        for (const Index out : {1, 2, 15, 16, 67, 300}) {
          const Matrix weight(type, out, in, in + in % 2 + 2, 4);
          Buffer<float, 2> x({std::max<Index>(rows, 1), in});
          Buffer<float, 2> expected({std::max<Index>(rows, 1), out}), actual(expected.shape());
          Buffer<float, 1> bias({out});
          fill(x, 5);
          fill({bias.data(), {1, out}}, 6);
          const auto first = [&](Buffer<float, 2>& all) {
            return MatrixView<float>(all.data(), {rows, all.shape()[1]});
          };
          for (const bool biased : {false, true}) {
            const VectorView<const float> added = biased ? bias : VectorView<const float>();
            Parallel one(1), three(3);
            linear(first(x), weight.floats, added, first(expected), {scratch, one});
            for (Parallel* parallel : {&one, &three}) {
              std::fill_n(actual.data(), actual.view().count(), 0.0f);
              linear(first(x), weight.narrow.stand_in(), added, first(actual), {scratch, *parallel},
                     {.narrow = weight.narrow});
              ASSERT_TRUE(equal(expected, actual))
                  << element_name(type) << " " << rows << " " << in << " " << out;
            }
          }
        }
      }
    }
  }
}

TEST(NarrowMatrix, InfinitiesAndNaNGoThrough) {
  for (const ElementType type : kTypes) {
    const std::uint16_t infinity = type == ElementType::float16 ? 0x7c00 : 0x7f80;
    Matrix weight(type, 3, 40, 40, 7);
    weight.bits[5] = infinity;
    weight.bits[40 + 39] = static_cast<std::uint16_t>(infinity | 0x8000);
    weight.bits[80] = static_cast<std::uint16_t>(infinity | 1);
    for (const Index rows : {1, 4, 60}) {
      Buffer<float, 2> x({rows, 40}), out({rows, 3});
      std::fill_n(x.data(), rows * 40, 1.0f);
      linear(x, weight.narrow.stand_in(), {}, out, {}, {.narrow = weight.narrow});
      for (Index n = 0; n < rows; ++n) {
        EXPECT_EQ(out.view()[n][0], HUGE_VALF);
        EXPECT_EQ(out.view()[n][1], -HUGE_VALF);
        EXPECT_TRUE(std::isnan(out.view()[n][2]));
      }
    }
  }
}

TEST(NarrowMatrix, RefusesWhatDoesNotFit) {
  Buffer<float, 2> x({2, 6}), out({2, 4}), weight({4, 6});
  const Matrix good(ElementType::float16, 4, 6, 6, 8), odd(ElementType::float16, 4, 6, 7, 8),
      wide(ElementType::float16, 4, 8, 8, 8);
  const auto refused = [&](const NarrowMatrix& narrow) {
    return error_of([&] { linear(x, weight, {}, out, {}, {.narrow = narrow}); });
  };
  linear(x, weight, {}, out, {}, {.narrow = good.narrow});
  EXPECT_EQ(refused(odd.narrow), "linear: packed: rows must be an even number apart, are 7");
  EXPECT_EQ(refused(wide.narrow),
            "linear: packed: shape must be [4, 6], is [4, 8]; that of the weight");
  PreparedWeights prepared;
  EXPECT_EQ(error_of([&] { prepared.keep(odd.narrow); }),
            "PreparedWeights: narrow: rows must be an even number apart, are 7");
}

TEST(NarrowMatrix, IsFoundByWhatStandsForIt) {
  const Matrix matrix(ElementType::bfloat16, 5, 8, 8, 9), other(ElementType::float16, 5, 8, 8, 9);
  PreparedWeights prepared;
  prepared.keep(matrix.narrow);
  prepared.keep(other.narrow);
  const MatrixView<const float> stand_in = matrix.narrow.stand_in();
  EXPECT_EQ(prepared.columns(stand_in).narrow.data, matrix.bits.data());
  EXPECT_EQ(prepared.columns(stand_in).narrow.format, matrix.narrow.format);
  EXPECT_EQ(prepared.columns(other.narrow.stand_in()).narrow.format, other.narrow.format);
  EXPECT_EQ(prepared.find(stand_in), nullptr);
  // Never packed, and as good after all weights have changed.
  prepared.pack(stand_in);
  prepared.invalidate();
  prepared.pack(stand_in);
  EXPECT_EQ(prepared.bytes(), 0u);
  EXPECT_TRUE(prepared.columns(stand_in).narrow);
  EXPECT_FALSE(prepared.columns(matrix.floats).narrow);
  prepared.drop(stand_in);
  EXPECT_FALSE(prepared.columns(stand_in).narrow);
}

}  // namespace
}  // namespace tril
