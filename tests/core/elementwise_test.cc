// Operations with broadcasting against loops over every index, exact if each element is rounded
// once, as in the reference.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/isa.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/elementwise.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/any_tensor.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

using testing::AnyTensor, testing::element, testing::for_each_index, testing::Indices;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// NumPy's result in float32.
float expected_of(Binary operation, float x, float y) {
  switch (operation) {
    case Binary::add:
      return x + y;
    case Binary::subtract:
      return x - y;
    case Binary::multiply:
      return x * y;
    case Binary::divide:
      return x / y;
    case Binary::maximum:
      return std::isnan(x) || std::isnan(y) ? kNaN : std::max(x, y);
    case Binary::minimum:
      return std::isnan(x) || std::isnan(y) ? kNaN : std::min(x, y);
    case Binary::equal:
      return x == y ? 1.0f : 0.0f;
    case Binary::not_equal:
      return x != y ? 1.0f : 0.0f;
    case Binary::less:
      return x < y ? 1.0f : 0.0f;
    case Binary::less_equal:
      return x <= y ? 1.0f : 0.0f;
    case Binary::greater:
      return x > y ? 1.0f : 0.0f;
    case Binary::greater_equal:
      return x >= y ? 1.0f : 0.0f;
    case Binary::power:
      return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
  return 0;
}

// For integers from -9 to 9 only power is not rounded once, and powers of these are exact in double
// or far from the middle between two floats.
void expect_broadcast(const Indices& x_shape, const Indices& y_shape, const Indices& shape,
                      Parallel& parallel, Random& random, bool gaps = false) {
  const AnyTensor x(x_shape, random, gaps), y(y_shape, random, gaps);
  const AnyView<const float> xs = x.view(), ys = y.view();
  for (const Named<Binary>& each : kBinary) {
    const auto name = each.name;
    const Binary operation = each.value;
    AnyTensor out(shape, random, gaps);
    const AnyView<float> outs = out.view();
    binary(operation, xs, ys, outs, parallel);
    for_each_index(shape, [&](const Indices& index) {
      const float left = element(xs, index), right = element(ys, index);
      const float expected = expected_of(operation, left, right);
      const float actual = element(outs, index);
      // An assertion for each of a million elements would take most of the time.
      if (actual == expected || (std::isnan(expected) && std::isnan(actual))) return;
      ASSERT_EQ(actual, expected) << name << " of " << left << " and " << right << ", shapes "
                                  << shape_text(xs.shape) << " and " << shape_text(ys.shape);
    });
  }
}

TEST(Elementwise, BroadcastsAsNumPy) {
  Random random(1);
  for (const int threads : {1, 3}) {
    Parallel parallel(threads);
    const auto both_ways = [&](const Indices& x, const Indices& y, const Indices& shape) {
      expect_broadcast(x, y, shape, parallel, random);
      expect_broadcast(y, x, shape, parallel, random);
    };
    both_ways({}, {}, {});
    both_ways({7}, {}, {7});
    both_ways({1}, {1}, {1});
    both_ways({5, 33}, {5, 33}, {5, 33});
    both_ways({5, 33}, {33}, {5, 33});
    both_ways({5, 33}, {5, 1}, {5, 33});
    both_ways({5, 1}, {1, 33}, {5, 33});
    both_ways({5, 1}, {33}, {5, 33});
    both_ways({2, 3, 4}, {3, 1}, {2, 3, 4});
    both_ways({2, 3, 4}, {2, 1, 4}, {2, 3, 4});
    both_ways({2, 1, 4}, {1, 3, 1}, {2, 3, 4});
    both_ways({8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5});
    both_ways({2, 1, 3, 1, 2, 1, 3, 1}, {1, 2, 1, 3, 1, 2, 1, 3}, {2, 2, 3, 3, 2, 2, 3, 3});
    // More than one piece of work, in one long row and in many rows.
    both_ways({40000}, {40000}, {40000});
    both_ways({40000}, {1}, {40000});
    both_ways({3, 16400}, {16400}, {3, 16400});
    both_ways({3, 16400}, {3, 1}, {3, 16400});
    both_ways({20000, 1}, {1, 3}, {20000, 3});
    both_ways({40, 3, 200}, {40, 1, 200}, {40, 3, 200});
    // No elements to compute.
    both_ways({0}, {1}, {0});
    both_ways({0}, {0}, {0});
    both_ways({3, 0}, {3, 1}, {3, 0});
    both_ways({0, 4}, {4}, {0, 4});
  }
}

TEST(Elementwise, TakesViewsOfAnyStrides) {
  Random random(6);
  Parallel parallel(2);
  for (int n = 0; n < 300; ++n) {
    const Indices shape = testing::random_sizes(random, 8, 4);
    const Indices x = testing::broadcasting(shape, random);
    SCOPED_TRACE(n);
    expect_broadcast(x, shape, shape, parallel, random, true);
    expect_broadcast(shape, x, shape, parallel, random, true);
  }
  // Rows longer than the part gathered at a time.
  expect_broadcast({3, 700}, {3, 1}, {3, 700}, parallel, random, true);
  expect_broadcast({700, 1}, {1, 3}, {700, 3}, parallel, random, true);
}

TEST(Elementwise, WritesNothingBetweenTheElements) {
  Random random(7);
  for (int n = 0; n < 100; ++n) {
    const Indices shape = testing::random_sizes(random, 6, 5);
    AnyTensor x(shape, random, true);
    const std::vector<float> before = x.memory();
    std::vector<float> expected = x.memory();
    for_each_index(shape, [&](const Indices& index) {
      const auto at = static_cast<std::size_t>(&element(x.view(), index) - x.memory().data());
      expected[at] = 2 * before[at];
    });
    add(x.view(), x.view(), x.view());
    ASSERT_EQ(x.memory(), expected);
  }
}

TEST(Elementwise, TakesNumbers) {
  Random random(2);
  const Buffer<float, 2> x = testing::uniform<2>({3, 21}, random);
  Buffer<float, 2> out({3, 21});
  divide(x, 4.0f, out);
  for (Index i = 0; i < 63; ++i) EXPECT_EQ(out.data()[i], x.data()[i] / 4);
  subtract(1.0f, x, out);
  for (Index i = 0; i < 63; ++i) EXPECT_EQ(out.data()[i], 1 - x.data()[i]);
}

TEST(Elementwise, DividesAsIeee) {
  const float x[] = {1, -1, 0, kInfinity, 2}, y[] = {0, 0, 0, kInfinity, NAN};
  float out[5] = {};
  divide(VectorView<const float>(x, {5}), VectorView<const float>(y, {5}),
         VectorView<float>(out, {5}));
  EXPECT_EQ(out[0], kInfinity);
  EXPECT_EQ(out[1], -kInfinity);
  for (int i = 2; i < 5; ++i) EXPECT_TRUE(std::isnan(out[i])) << i;
}

TEST(Elementwise, TakesAnyStridesAndWritesNothingBetween) {
  Random random(3);
  Parallel parallel(2);
  const Buffer<float, 2> x = testing::uniform<2>({9, 20}, random);
  Buffer<float, 2> out({9, 24});
  const MatrixView<const float> part(x.data(), {9, 13}, {20, 1});
  const MatrixView<float> written(out.data() + 3, {9, 13}, {24, 1});
  add(part, part, written, parallel);
  for (Index n = 0; n < 9; ++n) {
    for (Index c = 0; c < 24; ++c) {
      const bool inside = c >= 3 && c < 16;
      EXPECT_EQ(out.view()[n][c], inside ? 2 * part[n][c - 3] : 0.0f) << n << ", " << c;
    }
  }
  // A backward view, one column, and repeated rows.
  const MatrixView<const float> backwards(x.data() + 8 * 20, {9, 1}, {-20, 1});
  const MatrixView<float> column(out.data(), {9, 1}, {24, 1});
  const MatrixView<const float> repeated(x.data() + 5, {9, 1}, {0, 1});
  multiply(backwards, repeated, column, parallel);
  for (Index n = 0; n < 9; ++n) {
    EXPECT_EQ(column[n][0], x.view()[8 - n][0] * x.view()[0][5]);
    EXPECT_EQ(out.view()[n][1], 0.0f);
  }
  AnyView<const float> one = x.view()[2];  // one element along the last axis
  one.strides[0] = 0;
  Buffer<float, 1> row({20});
  subtract(x.view()[1], one, row, parallel);
  for (Index c = 0; c < 20; ++c) EXPECT_EQ(row.data()[c], x.view()[1][c] - x.view()[2][0]);
}

TEST(Elementwise, MayWriteOverEitherInputOfThatShape) {
  Random random(4);
  const Buffer<float, 2> x = testing::uniform<2>({4, 37}, random),
                         y = testing::uniform<2>({4, 37}, random);
  Buffer<float, 2> expected({4, 37}), first({4, 37}), second({4, 37});
  subtract(x, y, expected);
  for (Index i = 0; i < 4 * 37; ++i) first.data()[i] = x.data()[i];
  for (Index i = 0; i < 4 * 37; ++i) second.data()[i] = y.data()[i];
  subtract(first, y, first);
  subtract(x, second, second);
  EXPECT_TRUE(equal(expected, first));
  EXPECT_TRUE(equal(expected, second));
  multiply(first, first, first);
  for (Index i = 0; i < 4 * 37; ++i) {
    EXPECT_EQ(first.data()[i], expected.data()[i] * expected.data()[i]);
  }
}

TEST(Elementwise, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> x({2, 3}), wide({2, 4}), out({2, 3});
  Buffer<float, 1> row({3});
  AnyView<float> repeated = out;
  repeated.strides[1] = 0;
  out.data()[5] = 7;
  EXPECT_EQ(error_of([&] { add({}, x, out); }), "add: x: no tensor given");
  EXPECT_EQ(error_of([&] { add(x, {}, out); }), "add: y: no tensor given");
  EXPECT_EQ(error_of([&] { divide(x, wide, out); }),
            "divide: y: shapes do not broadcast; x is [2, 3], y is [2, 4]");
  EXPECT_EQ(error_of([&] { subtract(x, row, wide); }),
            "subtract: out: shape must be [2, 3], is [2, 4]; x is [2, 3], y is [3]");
  EXPECT_EQ(error_of([&] { multiply(row, row, out); }),
            "multiply: out: shape must be [3], is [2, 3]; x is [3], y is [3]");
  const auto shares = [&](const AnyView<const float>& a, const AnyView<const float>& b,
                          const AnyView<float>& to) {
    return error_of([&] { add(a, b, to); }).find("add: out: shares memory") == 0;
  };
  EXPECT_TRUE(shares(MatrixView<float>(wide.data(), {2, 3}), x,
                     MatrixView<float>(wide.data() + 1, {2, 3})));
  // The first row of out is y, which every row reads.
  EXPECT_TRUE(shares(x, out.view()[0], out));
  EXPECT_TRUE(shares(out.data()[0], x, out));
  EXPECT_EQ(error_of([&] {
              add(x, x, MatrixView<float>(wide.data(), {2, 3}, {2, 1}));
            }),
            "add: out: its elements overlap; shape is [2, 3], strides are [2, 1]");
  EXPECT_EQ(error_of([&] { add(x, x, repeated); }),
            "add: out: its elements overlap; shape is [2, 3], strides are [3, 0]");
  EXPECT_EQ(error_of([&] { binary(static_cast<Binary>(99), x, x, out); }),
            "binary: operation: is none of add, subtract, ..., power");
  EXPECT_EQ(error_of([&] { unary(static_cast<Unary>(99), x, out); }),
            "unary: operation: is none of exp, log, sqrt, abs, negate, tanh");
  EXPECT_EQ(error_of([&] { unary(Unary::exp, {}, out); }), "exp: x: no tensor given");
  EXPECT_EQ(error_of([&] { unary(Unary::log, row, out); }),
            "log: out: shape must be [3], is [2, 3]; x is [3]");
  EXPECT_EQ(
      error_of([&] { where(wide, x, row, out); }),
      "where: condition: does not broadcast with x and y; condition is [2, 4], x is [2, 3], y "
      "is [3]");
  EXPECT_EQ(error_of([&] { where(x, wide, row, out); }),
            "where: y: shapes do not broadcast; x is [2, 4], y is [3]");
  EXPECT_EQ(error_of([&] { where(x, row, 1.0f, wide); }),
            "where: out: shape must be [2, 3], is [2, 4]; condition is [2, 3], x is [3], y is []");
  EXPECT_EQ(error_of([&] { copy(x, row); }),
            "copy: x: does not broadcast to the shape of out, [3]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { copy(out.view()[1], out); }).find("copy: out: shares memory"), 0u);
  EXPECT_EQ(out.data()[5], 7);
  add(x, x, out);
  EXPECT_EQ(out.data()[5], 0);
}

TEST(Elementwise, ComparesAndChoosesAsNumPy) {
  const float special[] = {kNaN, -kInfinity, -1, -0.0f, 0, 1, kInfinity};
  const VectorView<const float> x(special, {7});
  const AnyView<const float> column = MatrixView<const float>(special, {7, 1});
  Buffer<float, 2> out({7, 7});
  for (const auto& [name, operation] : kBinary) {
    if (operation == Binary::power) continue;  // has its own test
    binary(operation, column, x, out);
    for (Index i = 0; i < 49; ++i) {
      const float expected = expected_of(operation, special[i / 7], special[i % 7]);
      const float actual = out.data()[i];
      EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
          << name << " of " << special[i / 7] << " and " << special[i % 7] << ": " << actual;
    }
  }
  // NaN is not 0.
  where(x, 1.0f, 2.0f, out.view()[0]);
  const float chosen[] = {1, 1, 1, 2, 2, 1, 1};
  EXPECT_TRUE(equal(VectorView<const float>(chosen, {7}), out.view()[0]));
  // Elements that are not chosen do not matter.
  where(column, x, 5.0f, out);
  for (Index i = 0; i < 49; ++i) {
    const float expected = special[i / 7] == 0 ? 5.0f : special[i % 7];
    EXPECT_TRUE(out.data()[i] == expected || std::isnan(expected)) << i;
  }
}

TEST(Elementwise, ChoosesFromViewsOfAnyStrides) {
  Random random(8);
  Parallel parallel(2);
  for (int n = 0; n < 200; ++n) {
    const Indices shape = testing::random_sizes(random, 6, 5);
    const AnyTensor condition(shape, random, true),
        x(testing::broadcasting(shape, random), random, true),
        y(testing::broadcasting(shape, random), random, true);
    AnyTensor out(shape, random, true), copied(shape, random, true);
    EXPECT_EQ(where_shape(condition.view().shape, x.view().shape, y.view().shape),
              out.view().shape);
    where(condition.view(), x.view(), y.view(), out.view(), parallel);
    copy(x.view(), copied.view(), parallel);
    for_each_index(shape, [&](const Indices& index) {
      const auto& chosen = element(condition.view(), index) != 0 ? x : y;
      ASSERT_EQ(element(out.view(), index), element(chosen.view(), index));
      ASSERT_EQ(element(copied.view(), index), element(x.view(), index));
    });
  }
}

TEST(ElementwiseKernels, AreTheSameOnEveryInstructionSet) {
  Random random(5);
  const Buffer<float, 1> x = testing::uniform<1>({70}, random),
                         y = testing::uniform<1>({70}, random);
  for (const Isa isa : available_isas()) {
    const ArithmeticKernels& kernels = arithmetic_kernels(isa);
    for (Index count = 0; count <= 70; ++count) {
      Buffer<float, 1> out({72});
      out.data()[count] = 7;
      const auto check = [&](const auto& expected) {
        for (Index i = 0; i < count; ++i) ASSERT_EQ(out.data()[i], expected(i)) << isa_name(isa);
        ASSERT_EQ(out.data()[count], 7);
      };
      for (const Named<Binary>& each : kBinary) {
        const Binary operation = each.value;
        if (operation == Binary::power) continue;
        kernels.of(operation)(x.data(), y.data(), out.data(), count);
        check([&](Index i) { return expected_of(operation, x.data()[i], y.data()[i]); });
      }
      kernels.of(Unary::abs)(x.data(), out.data(), count);
      check([&](Index i) { return std::fabs(x.data()[i]); });
      kernels.where(x.data(), y.data(), x.data(), out.data(), count);
      check([&](Index i) { return x.data()[i] != 0 ? y.data()[i] : x.data()[i]; });
    }
  }
}

}  // namespace
}  // namespace tril
