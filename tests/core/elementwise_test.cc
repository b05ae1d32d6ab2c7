// Arithmetic with broadcasting against loops over every index, exactly: each element is rounded
// once, and so is the reference.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/isa.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/elementwise_kernels.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

float expected_of(Arithmetic operation, float x, float y) {
  switch (operation) {
    case Arithmetic::add:
      return x + y;
    case Arithmetic::subtract:
      return x - y;
    case Arithmetic::multiply:
      return x * y;
    case Arithmetic::divide:
      return x / y;
  }
  return 0;
}

// A tensor of any rank without gaps.
struct Owned {
  std::vector<Index> shape;
  std::vector<float> values;

  Owned(std::vector<Index> sizes, Random& random) : shape(std::move(sizes)) {
    Index count = 1;
    for (const Index size : shape) count *= size;
    values.resize(static_cast<std::size_t>(count) + 1);  // so that there is an address
    for (float& value : values) value = 1 + random.uniform();
  }
  template <typename T = const float>
  AnyView<T> view() const {
    AnyView<T> view;
    view.data = const_cast<float*>(values.data());
    view.shape.rank = view.strides.rank = static_cast<int>(shape.size());
    Index stride = 1;
    for (int axis = view.shape.rank; axis-- > 0;) {
      view.shape[axis] = shape[static_cast<std::size_t>(axis)];
      view.strides[axis] = stride;
      stride *= view.shape[axis];
    }
    return view;
  }
  // The element that broadcasting puts at `index` of a shape of `rank` axes.
  float at(const std::vector<Index>& index) const {
    Index offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Index i = index[index.size() - shape.size() + axis];
      offset = offset * shape[axis] + (shape[axis] == 1 ? 0 : i);
    }
    return values[static_cast<std::size_t>(offset)];
  }
};

void expect_broadcast(const std::vector<Index>& x_shape, const std::vector<Index>& y_shape,
                      const std::vector<Index>& shape, Parallel& parallel, Random& random) {
  const Owned x(x_shape, random), y(y_shape, random);
  for (const auto& [name, operation] : kArithmetic) {
    Owned out(shape, random);
    arithmetic(operation, x.view(), y.view(), out.view<float>(), parallel);
    std::vector<Index> index(shape.size());
    const auto count = static_cast<Index>(out.values.size()) - 1;
    for (Index n = 0; n < count; ++n) {
      Index rest = n;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      ASSERT_EQ(out.values[static_cast<std::size_t>(n)],
                expected_of(operation, x.at(index), y.at(index)))
          << name << " of " << shape_text(x.view().shape) << " and " << shape_text(y.view().shape)
          << " at " << n;
    }
  }
}

TEST(Elementwise, BroadcastsAsNumPy) {
  Random random(1);
  for (const int threads : {1, 3}) {
    Parallel parallel(threads);
    const auto both_ways = [&](const std::vector<Index>& x, const std::vector<Index>& y,
                               const std::vector<Index>& shape) {
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
    // More than one piece of work, in one long row and in many.
    both_ways({40000}, {40000}, {40000});
    both_ways({40000}, {1}, {40000});
    both_ways({3, 16400}, {16400}, {3, 16400});
    both_ways({3, 16400}, {3, 1}, {3, 16400});
    both_ways({20000, 1}, {1, 3}, {20000, 3});
    both_ways({40, 3, 200}, {40, 1, 200}, {40, 3, 200});
    // Nothing to compute.
    both_ways({0}, {1}, {0});
    both_ways({0}, {0}, {0});
    both_ways({3, 0}, {3, 1}, {3, 0});
    both_ways({0, 4}, {4}, {0, 4});
  }
}

TEST(Elementwise, TakesNumbers) {
  Parallel parallel;
  Random random(2);
  const Buffer<float, 2> x = testing::uniform<2>({3, 21}, random);
  Buffer<float, 2> out({3, 21});
  divide(x, 4.0f, out, parallel);
  for (Index i = 0; i < 63; ++i) EXPECT_EQ(out.data()[i], x.data()[i] / 4);
  subtract(1.0f, x, out, parallel);
  for (Index i = 0; i < 63; ++i) EXPECT_EQ(out.data()[i], 1 - x.data()[i]);
}

TEST(Elementwise, DividesAsIeee) {
  Parallel parallel;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float x[] = {1, -1, 0, kInfinity, 2}, y[] = {0, 0, 0, kInfinity, NAN};
  float out[5] = {};
  divide(VectorView<const float>(x, {5}), VectorView<const float>(y, {5}),
         VectorView<float>(out, {5}), parallel);
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
  // Backwards, one column, and rows that repeat.
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
  Parallel parallel;
  const Buffer<float, 2> x = testing::uniform<2>({4, 37}, random),
                         y = testing::uniform<2>({4, 37}, random);
  Buffer<float, 2> expected({4, 37}), first({4, 37}), second({4, 37});
  subtract(x, y, expected, parallel);
  for (Index i = 0; i < 4 * 37; ++i) first.data()[i] = x.data()[i];
  for (Index i = 0; i < 4 * 37; ++i) second.data()[i] = y.data()[i];
  subtract(first, y, first, parallel);
  subtract(x, second, second, parallel);
  EXPECT_TRUE(equal(expected, first));
  EXPECT_TRUE(equal(expected, second));
  multiply(first, first, first, parallel);
  for (Index i = 0; i < 4 * 37; ++i) {
    EXPECT_EQ(first.data()[i], expected.data()[i] * expected.data()[i]);
  }
}

TEST(Elementwise, RejectsWhatDoesNotFitAndWritesNothing) {
  Parallel parallel;
  Buffer<float, 2> x({2, 3}), wide({2, 4}), out({2, 3});
  Buffer<float, 1> row({3});
  out.data()[5] = 7;
  EXPECT_EQ(error_of([&] { add({}, x, out, parallel); }), "add: x: no tensor given");
  EXPECT_EQ(error_of([&] { add(x, {}, out, parallel); }), "add: y: no tensor given");
  EXPECT_EQ(error_of([&] { divide(x, wide, out, parallel); }),
            "divide: y: shapes do not broadcast; x is [2, 3], y is [2, 4]");
  EXPECT_EQ(error_of([&] { subtract(x, row, wide, parallel); }),
            "subtract: out: shape must be [2, 3], is [2, 4]; x is [2, 3], y is [3]");
  EXPECT_EQ(error_of([&] { multiply(row, row, out, parallel); }),
            "multiply: out: shape must be [3], is [2, 3]; x is [3], y is [3]");
  const auto shares = [&](const AnyView<const float>& a, const AnyView<const float>& b,
                          const AnyView<float>& to) {
    return error_of([&] { add(a, b, to, parallel); }).find("add: out: shares memory") == 0;
  };
  EXPECT_TRUE(shares(MatrixView<float>(wide.data(), {2, 3}), x,
                     MatrixView<float>(wide.data() + 1, {2, 3})));
  // The first row of out is y, which every row reads.
  EXPECT_TRUE(shares(x, out.view()[0], out));
  EXPECT_TRUE(shares(out.data()[0], x, out));
  EXPECT_EQ(error_of([&] {
              add(x, x, MatrixView<float>(wide.data(), {2, 3}, {2, 1}), parallel);
            }),
            "add: out: its elements overlap; shape is [2, 3], strides are [2, 1]");
  EXPECT_EQ(error_of([&] { arithmetic(static_cast<Arithmetic>(9), x, x, out, parallel); }),
            "arithmetic: operation: is none of add, subtract, multiply, divide");
  EXPECT_EQ(out.data()[5], 7);
  add(x, x, out, parallel);
  EXPECT_EQ(out.data()[5], 0);
}

TEST(ElementwiseKernels, AreTheSameOnEveryInstructionSet) {
  Random random(5);
  const Buffer<float, 1> x = testing::uniform<1>({70}, random),
                         y = testing::uniform<1>({70}, random);
  for (const Isa isa : available_isas()) {
    const ElementwiseKernels& kernels = elementwise_kernels(isa);
    for (Index count = 0; count <= 70; ++count) {
      Buffer<float, 1> out({72});
      out.data()[count] = 7;
      const auto check = [&](const auto& expected) {
        for (Index i = 0; i < count; ++i) ASSERT_EQ(out.data()[i], expected(i)) << isa_name(isa);
        ASSERT_EQ(out.data()[count], 7);
      };
      kernels.subtract.both(x.data(), y.data(), out.data(), count);
      check([&](Index i) { return x.data()[i] - y.data()[i]; });
      kernels.subtract.one_x(x.data(), y.data(), out.data(), count);
      check([&](Index i) { return x.data()[0] - y.data()[i]; });
      kernels.divide.one_y(x.data(), y.data(), out.data(), count);
      check([&](Index i) { return x.data()[i] / y.data()[0]; });
    }
  }
}

}  // namespace
}  // namespace tril
