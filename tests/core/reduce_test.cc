// Reductions against NumPy's semantics in plain loops of double: exact for small integers, and
// otherwise within a derived bound.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/layers/reduce.h>
#include <tril/layers/reduce_kernels.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/any_tensor.h"
#include "core/compare.h"
#include "core/golden.h"
#include "core/sevens.h"

namespace tril {
namespace {

using testing::AnyTensor, testing::below, testing::element, testing::error_of,
    testing::for_each_index, testing::Indices, testing::sizes_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Reduces all elements of one result, in row-major order.
double expected_of(Reduce operation, const std::vector<float>& x) {
  double sum = 0;
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i];
    const bool is_better = operation == Reduce::min ? x[i] < x[best] : x[i] > x[best];
    if (is_better || (std::isnan(x[i]) && !std::isnan(x[best]))) best = i;
  }
  if (operation == Reduce::sum) return sum;
  if (operation == Reduce::mean) return sum / static_cast<double>(x.size());
  return operation == Reduce::argmax ? static_cast<double>(best) : static_cast<double>(x[best]);
}

// The elements of each result, by its index with axes of 1.
std::map<Indices, std::vector<float>> groups(const AnyView<const float>& x, const Indices& axes) {
  std::map<Indices, std::vector<float>> found;
  for_each_index(sizes_of(x.shape), [&](const Indices& index) {
    Indices group = index;
    for (const Index axis : axes) {
      group[static_cast<std::size_t>(axis < 0 ? axis + x.shape.rank : axis)] = 0;
    }
    found[group].push_back(element(x, index));
  });
  return found;
}

// Both with axes of 1 and without them.
void expect_reduced(const AnyTensor& x, const Indices& axes, Parallel& parallel, Random& random) {
  for (const auto& [name, operation] : kReduce) {
    if (operation == Reduce::argmax && axes.size() != 1 &&
        axes.size() != static_cast<std::size_t>(x.view().shape.rank)) {
      continue;
    }
    const AnyShape kept = reduced_shape(x.view().shape, axes, true, "f");
    AnyTensor out(sizes_of(kept), random, true);
    AnyTensor left(sizes_of(reduced_shape(x.view().shape, axes, false, "f")), random, true);
    reduce(operation, x.view(), axes, out.view(), parallel);
    reduce(operation, x.view(), axes, left.view(), parallel);
    for (const auto& [index, elements] : groups(x.view(), axes)) {
      const double expected = expected_of(operation, elements);
      const float actual = element(out.view(), index);
      if (std::isnan(expected) && std::isnan(actual)) continue;
      ASSERT_EQ(actual, static_cast<float>(expected))
          << name << " of " << shape_text(x.view().shape) << ", axes "
          << ::testing::PrintToString(axes);
    }
    const std::vector<float> same = std::as_const(left).values();
    const std::vector<float> values = std::as_const(out).values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(same[i] == values[i] || std::isnan(same[i])) << name;
    }
  }
}

Indices random_axes(Random& random, Index rank) {
  Indices axes;
  for (Index axis = 0; axis < rank; ++axis) {
    if (below(random, 2) == 0) axes.push_back(below(random, 2) == 0 ? axis : axis - rank);
  }
  return axes;
}

TEST(Reduce, FollowsNumPyForAnyShapeStridesAndAxes) {
  Random random(1);
  for (int n = 0; n < 400; ++n) {
    Parallel parallel(n % 2 + 1);
    Indices sizes = testing::random_sizes(random, 8, 4);
    for (Index& size : sizes) size = std::max<Index>(1, size);  // empty tensors have their own test
    AnyTensor x(sizes, random, n % 3 != 0);
    for (float& value : x.memory()) {
      if (below(random, 50) == 0) value = below(random, 2) == 0 ? kNaN : -kInfinity;
    }
    SCOPED_TRACE(n);
    expect_reduced(x, random_axes(random, static_cast<Index>(sizes.size())), parallel, random);
  }
}

TEST(Reduce, TakesRowsAndColumnsLongerThanItsLanes) {
  Random random(2);
  Parallel parallel(3);
  for (const bool gaps : {false, true}) {
    for (const Indices& sizes :
         {Indices{300, 129}, Indices{1, 1000}, Indices{1000, 1}, Indices{5, 31, 260},
          Indices{33, 5}, Indices{40000}, Indices{128, 128}, Indices{3, 20000}}) {
      const AnyTensor x(sizes, random, gaps);
      const auto rank = static_cast<Index>(sizes.size());
      for (Index axis = 0; axis < rank; ++axis) expect_reduced(x, {axis}, parallel, random);
      Indices all;
      for (Index axis = 0; axis < rank; ++axis) all.push_back(axis);
      expect_reduced(x, all, parallel, random);
      expect_reduced(x, {}, parallel, random);
    }
  }
}

// x sums to n terms of float, each exact in double: n - 1 additions, each with an error of at most
// 2^-53 of the sum of magnitudes, and one rounding to float.
TEST(Reduce, RoundsSumsOnce) {
  Random random(3);
  constexpr Index kCount = 100003;
  const Buffer<float, 1> x = testing::uniform<1>({kCount}, random);
  long double exact = 0, sizes = 0;
  for (Index i = 0; i < kCount; ++i) {
    exact += static_cast<long double>(x.data()[i]);
    sizes += std::fabs(static_cast<long double>(x.data()[i]));
  }
  float sum = 0, mean = 0;
  const Index axes[] = {0};
  reduce(Reduce::sum, x, axes, sum);
  reduce(Reduce::mean, x, axes, mean);
  const auto bound = [&](double result, double divisor) {
    return 0x1p-24 * std::fabs(result) + kCount * 0x1p-53 * static_cast<double>(sizes) / divisor;
  };
  const auto expected = static_cast<double>(exact);
  EXPECT_NEAR(sum, expected, bound(expected, 1));
  EXPECT_NEAR(mean, expected / kCount, bound(expected / kCount, kCount));
  // A sum that float would lose: 2^24 + 1 + 1 + ...
  Buffer<float, 1> ones({1001});
  std::fill_n(ones.data(), 1001, 1.0f);
  ones.data()[0] = 0x1p24f;
  reduce(Reduce::sum, ones, axes, sum);
  EXPECT_EQ(sum, 0x1p24f + 1000);
}

TEST(Reduce, FindsTheFirstOfSeveralAndTheFirstNaN) {
  const Index axes[] = {0};
  const auto place_in = [&](std::vector<float> x) {
    float place = -1;
    const auto count = static_cast<Index>(x.size());
    reduce(Reduce::argmax, VectorView<const float>(x.data(), {count}), axes, place);
    return place;
  };
  EXPECT_EQ(place_in({1, 3, 2, 3}), 1);
  EXPECT_EQ(place_in({-kInfinity, -kInfinity}), 0);
  EXPECT_EQ(place_in({1, kNaN, kInfinity, kNaN}), 1);
  EXPECT_EQ(place_in({-0.0f, 0.0f}), 0);
  std::vector<float> longer(100, 5);
  EXPECT_EQ(place_in(longer), 0);
  longer[40] = longer[72] = longer[71] = 6;  // lanes 8, 8 and 7 of 32
  EXPECT_EQ(place_in(longer), 40);
  longer[67] = longer[99] = kNaN;
  EXPECT_EQ(place_in(longer), 67);
}

TEST(Reduce, OfNothing) {
  Buffer<float, 2> none({0, 3});
  Buffer<float, 1> three({3}), zero({0});
  const Index rows[] = {0}, cols[] = {1}, both[] = {0, 1};
  three.data()[1] = 7;
  reduce(Reduce::sum, none, rows, three);
  EXPECT_TRUE(testing::all_are(three, 0.0f));
  reduce(Reduce::mean, none, rows, three);
  for (Index i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(three.data()[i]));
  float one = 7;
  reduce(Reduce::sum, none, both, one);
  EXPECT_EQ(one, 0);
  // No results, so nothing to choose.
  for (const auto& [name, operation] : kReduce) reduce(operation, none, cols, zero);
  for (const Reduce operation : {Reduce::max, Reduce::min, Reduce::argmax}) {
    const std::string name(name_of(kReduce, operation));
    EXPECT_EQ(error_of([&] { reduce(operation, none, rows, three); }),
              name + ": x: has no elements to choose from; shape is [0, 3]");
  }
}

TEST(Reduce, SumsToWhatWasRepeated) {
  Random random(4);
  Parallel parallel(2);
  for (int n = 0; n < 200; ++n) {
    const Indices sizes = testing::random_sizes(random, 8, 4);
    const AnyTensor x(sizes, random, true);
    AnyTensor out(testing::broadcasting(sizes, random), random, true),
        expected(sizes_of(out.view().shape), random, false);
    sum_to(x.view(), out.view(), parallel);
    std::fill(expected.memory().begin(), expected.memory().end(), 0.0f);
    for_each_index(sizes, [&](const Indices& index) {
      element(expected.view(), index) += element(x.view(), index);  // small integers
    });
    ASSERT_EQ(std::as_const(out).values(), std::as_const(expected).values());
  }
}

TEST(Reduce, RefusesWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> x({2, 3}), kept({2, 1});
  Buffer<float, 1> rows({2}), cols({3});
  rows.data()[0] = 7;
  const Index last[] = {-1}, beyond[] = {2}, before[] = {-3}, twice[] = {1, -1};
  const auto sum_error = [&](const AnyView<const float>& from, std::span<const Index> axes,
                             const AnyView<float>& out) {
    return error_of([&] { reduce(Reduce::sum, from, axes, out); });
  };
  EXPECT_EQ(sum_error({}, last, rows), "sum: x: no tensor given");
  EXPECT_EQ(sum_error(x, last, {}), "sum: out: no tensor given");
  EXPECT_EQ(sum_error(x, beyond, rows), "sum: axis: there is no axis 2; shape is [2, 3]");
  EXPECT_EQ(sum_error(x, before, rows), "sum: axis: there is no axis -3; shape is [2, 3]");
  EXPECT_EQ(sum_error(x, twice, rows), "sum: axis: axis 1 is named twice; shape is [2, 3]");
  EXPECT_EQ(sum_error(x, last, cols), "sum: out: shape must be [2], is [3]; x is [2, 3]");
  EXPECT_EQ(sum_error(x, last, VectorView<float>(x.data(), {2})).find("sum: out: shares memory"),
            0u);
  EXPECT_EQ(error_of([&] { reduce(static_cast<Reduce>(9), x, last, rows); }),
            "reduce: operation: is none of sum, mean, max, min, argmax");
  Buffer<float, 3> cube({2, 2, 2});
  const Index two[] = {0, 1};
  EXPECT_EQ(error_of([&] { reduce(Reduce::argmax, cube, two, rows); }),
            "argmax: axis: must be one or all of them, are 2; x is [2, 2, 2]");
  // Repeating one element takes no memory.
  const float number = 1;
  AnyView<const float> many = number;
  many.shape.rank = many.strides.rank = 1;
  many.shape[0] = (1 << 24) + 1;
  const Index first[] = {0};
  EXPECT_EQ(error_of([&] { reduce(Reduce::argmax, many, first, rows.data()[0]); }),
            "argmax: x: has more than 2^24 places to choose from; shape is [16777217]");
  EXPECT_EQ(error_of([&] { sum_to(x, rows); }),
            "sum_to: shape: does not broadcast to that of x; is [2], x is [2, 3]");
  EXPECT_EQ(error_of([&] { sum_to(cols, x); }),
            "sum_to: shape: does not broadcast to that of x; is [2, 3], x is [3]");
  EXPECT_EQ(error_of([&] {
              sum_to(x, VectorView<float>(x.data(), {3}));
            }).find("sum_to: out: shares memory"),
            0u);
  EXPECT_EQ(rows.data()[0], 7);
  reduce(Reduce::sum, x, last, rows);
  EXPECT_EQ(rows.data()[0], 0);
}

TEST(ReduceKernels, AreTheSameOnEveryInstructionSet) {
  Random random(5);
  const Buffer<float, 1> x = testing::uniform<1>({70}, random);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    const ReduceKernels& kernels = reduce_kernels(isa);
    for (Index count = 0; count <= 70; ++count) {
      std::vector<double> values(71, 0.25), places(71, 3);
      const auto check = [&](const auto& expected) {
        for (Index i = 0; i < count; ++i) {
          ASSERT_EQ(values[static_cast<std::size_t>(i)],
                    expected(static_cast<double>(x.data()[i])));
        }
        ASSERT_EQ(values[static_cast<std::size_t>(count)], 0.25);
        values.assign(71, 0.25);
      };
      kernels.add(x.data(), values.data(), count);
      check([](double each) { return 0.25 + each; });
      kernels.max(x.data(), values.data(), count);
      check([](double each) { return std::max(0.25, each); });
      kernels.min(x.data(), values.data(), count);
      check([](double each) { return std::min(0.25, each); });
      kernels.argmax(x.data(), 9, values.data(), places.data(), count);
      check([](double each) { return std::max(0.25, each); });
      for (Index i = 0; i < 71; ++i) {
        const bool is_taken = i < count && x.data()[i] > 0.25f;
        ASSERT_EQ(places[static_cast<std::size_t>(i)], is_taken ? 9 : 3);
      }
    }
  }
}

}  // namespace
}  // namespace tril
