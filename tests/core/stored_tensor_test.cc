// Conversion of file elements to floats and back: every bit pattern of the short types, limits of
// the long ones.
#include <gtest/gtest.h>
#include <tril/files/stored_tensor.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

template <typename Bits>
StoredTensor vector_of(ElementType type, const std::vector<Bits>& values) {
  return {.type = type,
          .shape = {static_cast<Index>(values.size())},
          .bytes = std::as_bytes(std::span(values))};
}

template <typename T>
std::vector<T> elements(const StoredTensor& tensor) {
  std::vector<T> out(static_cast<std::size_t>(tensor.count()));
  read_elements(tensor, std::span<T>(out));
  return out;
}

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t n = 0; n < patterns.size(); ++n) patterns[n] = static_cast<std::uint16_t>(n);
  return patterns;
}

TEST(ReadElements, HalfOfEveryPattern) {
  const auto patterns = all_patterns();
  const std::vector<float> out = elements<float>(vector_of(ElementType::float16, patterns));
  for (std::size_t n = 0; n < patterns.size(); ++n) {
    const int exponent = static_cast<int>(n >> 10 & 31), fraction = static_cast<int>(n & 1023);
    const double sign = n >> 15 ? -1 : 1;
    double expected = sign * std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 0) expected = sign * std::ldexp(fraction, -24);
    if (exponent == 31) expected = fraction ? std::nan("") : sign * HUGE_VAL;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(out[n])) << n;
    } else {
      ASSERT_EQ(out[n], expected) << n;
      ASSERT_EQ(std::signbit(out[n]), n >> 15 != 0) << n;
    }
  }
}

TEST(ReadElements, BrainFloatOfEveryPattern) {
  const auto patterns = all_patterns();
  const std::vector<float> out = elements<float>(vector_of(ElementType::bfloat16, patterns));
  for (std::size_t n = 0; n < patterns.size(); ++n) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[n]) >> 16, n);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[n]) & 0xffff, 0u);
  }
}

TEST(ReadElements, WholeNumbersToTheirLimits) {
  const std::vector<std::int64_t> values = {std::numeric_limits<std::int64_t>::min(), -1, 0,
                                            (std::int64_t{1} << 53) + 2,
                                            std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(elements<double>(vector_of(ElementType::int64, values)),
            (std::vector<double>{-0x1p63, -1, 0, 0x1p53 + 2, 0x1p63}));
  EXPECT_EQ(elements<double>(
                vector_of(ElementType::uint64, std::vector<std::uint64_t>{~std::uint64_t{0}, 7})),
            (std::vector<double>{0x1p64, 7}));
  // 2^24 + 1 lies between two floats and goes to the even one.
  EXPECT_EQ(elements<float>(vector_of(ElementType::int32,
                                      std::vector<std::int32_t>{(1 << 24) + 1, (1 << 24) + 3})),
            (std::vector<float>{0x1p24f, 0x1p24f + 4}));
}

TEST(ReadElements, RoundsDoublesToFloats) {
  const std::vector<double> values = {1 + 0x1p-24, 1 + 3 * 0x1p-24, 1e300, -1e300, 0x1p-149, 1e-60};
  EXPECT_EQ(elements<float>(vector_of(ElementType::float64, values)),
            (std::vector<float>{1, 1 + 0x1p-22f, HUGE_VALF, -HUGE_VALF, 0x1p-149f, 0}));
  EXPECT_EQ(elements<double>(vector_of(ElementType::float64, values)), values);
}

TEST(ReadElements, AnyByteButZeroIsTrue) {
  EXPECT_EQ(
      elements<float>(vector_of(ElementType::boolean, std::vector<std::uint8_t>{0, 1, 2, 255})),
      (std::vector<float>{0, 1, 1, 1}));
}

TEST(ReadElements, TakesAxesOfZeroAndNoAxes) {
  StoredTensor none{.shape = {3, 0, std::numeric_limits<Index>::max() / 12}};
  EXPECT_EQ(none.count(), 0);
  for (const bool column_major : {false, true}) {
    none.column_major = column_major;
    EXPECT_TRUE(elements<float>(none).empty());
  }
  const float value = 7;
  const StoredTensor scalar{.column_major = true, .bytes = std::as_bytes(std::span(&value, 1))};
  EXPECT_EQ(elements<float>(scalar), std::vector<float>{7});
}

TEST(ReadElements, RejectsWhatDoesNotFit) {
  const std::vector<float> values(6);
  StoredTensor tensor{.shape = {2, 3}, .bytes = std::as_bytes(std::span(values))};
  std::vector<float> out(6);
  EXPECT_EQ(error_of([&] { read_elements(tensor, std::span(out).first(5)); }),
            "read_elements: out: holds 5 elements, but the shape is [2, 3]");
  tensor.bytes = tensor.bytes.first(23);
  EXPECT_EQ(error_of([&] { read_elements(tensor, std::span(out)); }),
            "read_elements: tensor: 23 bytes do not fit shape [2, 3] of float32");
  tensor.shape = {-1, -6};
  EXPECT_NE(error_of([&] { read_elements(tensor, std::span(out)); }), "");
}

std::vector<std::uint16_t> written(ElementType type, const std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  write_elements(values, type, std::as_writable_bytes(std::span(bits)));
  return bits;
}

TEST(WriteElements, BringsBackEveryPattern) {
  const auto patterns = all_patterns();
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
    EXPECT_EQ(written(type, elements<float>(vector_of(type, patterns))), patterns);
  }
}

// Tests, between each two neighbours, their middle, which rounds to the even one, and the floats
// next to it. `infinite` is the pattern of infinity; `infinite_value` is its value if it were
// finite.
void expect_nearest(ElementType type, std::uint16_t infinite, float infinite_value) {
  std::vector<std::uint16_t> patterns(infinite);
  for (std::size_t n = 0; n < patterns.size(); ++n) patterns[n] = static_cast<std::uint16_t>(n);
  const std::vector<double> exact = elements<double>(vector_of(type, patterns));
  std::vector<float> values;
  std::vector<std::uint16_t> expected;
  for (std::uint16_t n = 0; n < infinite; ++n) {
    const bool last = n + 1 == infinite;
    const double above = last ? double{infinite_value} : exact[n + 1u];
    const auto next = static_cast<std::uint16_t>(n + 1);
    const auto middle = static_cast<float>((exact[n] + above) / 2);
    ASSERT_EQ(middle, (exact[n] + above) / 2) << n;
    for (const float sign : {1.0f, -1.0f}) {
      const auto bit = static_cast<std::uint16_t>(sign < 0 ? 0x8000 : 0);
      values.push_back(sign * std::nextafter(middle, 0.0f));
      expected.push_back(n | bit);
      values.push_back(sign * middle);
      expected.push_back((n % 2 == 0 ? n : next) | bit);
      values.push_back(sign * std::nextafter(middle, HUGE_VALF));
      expected.push_back(next | bit);
    }
  }
  const std::vector<std::uint16_t> bits = written(type, values);
  for (std::size_t n = 0; n < bits.size(); ++n) ASSERT_EQ(bits[n], expected[n]) << values[n];
}

TEST(WriteElements, RoundsToTheNearestHalf) {
  expect_nearest(ElementType::float16, 0x7c00, 65536.0f);
  EXPECT_EQ(written(ElementType::float16,
                    {std::numeric_limits<float>::max(), -HUGE_VALF, 0x1p-149f, -0.0f}),
            (std::vector<std::uint16_t>{0x7c00, 0xfc00, 0, 0x8000}));
}

TEST(WriteElements, RoundsToTheNearestBrainFloat) {
  // All except those beyond the largest, whose upper neighbour would be 2^128.
  expect_nearest(ElementType::bfloat16, 0x7f7f, std::bit_cast<float>(0x7f7f0000u));
  const auto float_of = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  EXPECT_EQ(written(ElementType::bfloat16, {float_of(0x7f7f7fffu), float_of(0x7f7f8000u),
                                            float_of(0xff7fffffu), -HUGE_VALF, float_of(1u)}),
            (std::vector<std::uint16_t>{0x7f7f, 0x7f80, 0xff80, 0xff80, 0}));
}

TEST(WriteElements, KeepsNaN) {
  // A lone lowest bit of the fraction would be cut off, which would leave infinity.
  for (const std::uint32_t bits : {0x7f800001u, 0xff801000u, 0x7fc00000u, 0xffffffffu}) {
    const float nan = std::bit_cast<float>(bits);
    for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
      const std::vector<std::uint16_t> half = written(type, {nan});
      const float back = elements<float>(vector_of(type, half))[0];
      EXPECT_TRUE(std::isnan(back));
      EXPECT_EQ(std::signbit(back), bits >> 31 != 0);
    }
  }
}

TEST(WriteElements, RejectsWhatDoesNotFit) {
  const std::vector<float> values(3);
  std::vector<std::byte> out(6, std::byte{7});
  const std::vector<std::byte> before = out;
  EXPECT_EQ(
      error_of([&] { write_elements(values, ElementType::float16, std::span(out).first(5)); }),
      "write_elements: out: has 5 bytes for 3 elements of float16");
  EXPECT_EQ(error_of([&] { write_elements(values, ElementType::float32, out); }),
            "write_elements: out: has 6 bytes for 3 elements of float32");
  EXPECT_EQ(error_of([&] { write_elements(values, ElementType::int16, out); }),
            "write_elements: type: must be float32, float16 or bfloat16, is int16");
  EXPECT_EQ(out, before);
}

TEST(StoredBytes, FindsEveryOverflow) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const auto bytes = [](std::vector<Index> shape, ElementType type = ElementType::float64) {
    return stored_bytes(shape, type);
  };
  EXPECT_EQ(bytes({}), 8u);
  EXPECT_EQ(bytes({kMost / 8}), static_cast<std::size_t>(kMost / 8 * 8));
  EXPECT_EQ(bytes({kMost / 8 + 1}), std::nullopt);
  EXPECT_EQ(bytes({kMost}, ElementType::int8), static_cast<std::size_t>(kMost));
  EXPECT_EQ(bytes({Index{1} << (sizeof(Index) * 4), Index{1} << (sizeof(Index) * 4)}),
            std::nullopt);
  EXPECT_EQ(bytes({kMost, kMost, 0}), std::nullopt);
  EXPECT_EQ(bytes({0, kMost / 8}), 0u);
  EXPECT_EQ(bytes({-1}), std::nullopt);
  EXPECT_EQ(bytes({0, -1}), std::nullopt);
}

}  // namespace
}  // namespace tril
