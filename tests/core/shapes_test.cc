// Views and joins against NumPy's rules, index by index.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/shapes.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/any_tensor.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::any_shape, testing::AnyTensor, testing::below, testing::element, testing::error_of,
    testing::for_each_index, testing::Indices, testing::sizes_of;

std::vector<float> values_of(const AnyView<const float>& view) {
  std::vector<float> values;
  for_each_index(sizes_of(view.shape),
                 [&](const Indices& index) { values.push_back(element(view, index)); });
  return values;
}

TEST(Shapes, TransposeNamesAxes) {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    const Indices sizes = testing::random_sizes(random, 8, 4);
    const AnyTensor x(sizes, random, n % 2 == 0);
    const auto rank = static_cast<Index>(sizes.size());
    Indices axes;
    for (Index axis = 0; axis < rank; ++axis) {
      axes.insert(axes.begin() + below(random, axis + 1), axis - below(random, 2) * rank);
    }
    const AnyView<const float> view = transpose(x.view(), axes);
    ASSERT_EQ(view.shape.rank, x.view().shape.rank);
    for_each_index(sizes_of(view.shape), [&](const Indices& index) {
      Indices from(index.size());
      for (std::size_t i = 0; i < axes.size(); ++i) {
        from[static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i])] = index[i];
      }
      ASSERT_EQ(&element(view, index), &element(x.view(), from));
    });
  }
}

// The indices that Python's slice(start, stop, step) selects from a list, counted one by one.
Indices taken(const Slice& slice, Index size) {
  if (slice.is_one) return {*slice.start < 0 ? *slice.start + size : *slice.start};
  Indices indices;
  const auto clamped = [&](Index bound, Index low, Index high) {
    return std::clamp(bound < 0 ? bound + size : bound, low, high);
  };
  if (slice.step > 0) {
    const Index stop = slice.stop ? clamped(*slice.stop, 0, size) : size;
    for (Index i = slice.start ? clamped(*slice.start, 0, size) : 0; i < stop; i += slice.step) {
      indices.push_back(i);
    }
  } else {
    const Index stop = slice.stop ? clamped(*slice.stop, -1, size - 1) : -1;
    const Index start = slice.start ? clamped(*slice.start, -1, size - 1) : size - 1;
    for (Index i = start; i > stop; i += slice.step) indices.push_back(i);
  }
  return indices;
}

Slice random_slice(Random& random, Index size) {
  const auto bound = [&] { return below(random, 2 * size + 5) - size - 2; };
  Slice slice;
  if (size > 0 && below(random, 4) == 0) {
    slice.is_one = true;
    slice.start = below(random, 2 * size) - size;
    return slice;
  }
  if (below(random, 3) > 0) slice.start = bound();
  if (below(random, 3) > 0) slice.stop = bound();
  do slice.step = below(random, 9) - 4;
  while (slice.step == 0);
  return slice;
}

TEST(Shapes, SliceTakesWhatPythonTakes) {
  Random random(2);
  for (int n = 0; n < 500; ++n) {
    const Indices sizes = testing::random_sizes(random, 6, 6);
    const AnyTensor x(sizes, random, n % 2 == 0);
    std::vector<Slice> slices;
    std::vector<Indices> indices;
    for (const Index size : sizes) {
      slices.push_back(random_slice(random, size));
      indices.push_back(taken(slices.back(), size));
    }
    const AnyView<const float> view = slice(x.view(), slices);
    Indices shape, full;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      full.push_back(static_cast<Index>(indices[axis].size()));
      if (!slices[axis].is_one) shape.push_back(full.back());
    }
    ASSERT_EQ(sizes_of(view.shape), shape) << n;
    std::vector<float> expected;
    for_each_index(full, [&](const Indices& index) {
      Indices from;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        from.push_back(indices[axis][static_cast<std::size_t>(index[axis])]);
      }
      expected.push_back(element(x.view(), from));
    });
    ASSERT_EQ(values_of(view), expected) << n;
    // The gradient is the transpose of that: the inner products <slice(x), d> and <x, back(d)> are
    // equal, exactly for small integers.
    const AnyTensor d_out(shape, random, true);
    AnyTensor d_x(sizes, random, true);
    slice_backward(d_out.view(), slices, d_x.view());
    double there = 0, back = 0;
    const std::vector<float> d = d_out.values(), all = x.values(), d_all = d_x.values();
    for (std::size_t i = 0; i < d.size(); ++i) there += d[i] * expected[i];
    for (std::size_t i = 0; i < all.size(); ++i) back += d_all[i] * all[i];
    ASSERT_EQ(there, back) << n;
  }
}

TEST(Shapes, SliceTakesTheLargestNumbers) {
  const Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
  const Buffer<float, 1> x({5});
  const auto size = [&](const Slice& one) { return slice(x, {&one, 1}).shape[0]; };
  EXPECT_EQ(size({.start = least, .stop = most, .step = most}), 1);
  EXPECT_EQ(size({.start = most, .stop = least, .step = least}), 1);
  EXPECT_EQ(size({.start = most, .stop = least, .step = -1}), 5);
  EXPECT_EQ(size({.start = least, .stop = least}), 0);
}

TEST(Shapes, BroadcastToRepeats) {
  Random random(3);
  for (int n = 0; n < 100; ++n) {
    const Indices sizes = testing::random_sizes(random, 8, 4);
    const AnyTensor x(testing::broadcasting(sizes, random), random, true);
    const AnyView<const float> view = broadcast_to(x.view(), sizes);
    ASSERT_EQ(view.shape, any_shape(sizes));
    for_each_index(sizes, [&](const Indices& index) {
      ASSERT_EQ(&element(view, index), &element(x.view(), index));
    });
  }
}

TEST(Shapes, ReshapeKeepsTheOrder) {
  Random random(4);
  const AnyTensor x({2, 3, 4}, random, false);
  const std::vector<float> values = x.values();
  for (const Indices& sizes :
       {Indices{24}, Indices{4, 3, 2}, Indices{1, 24, 1}, Indices{2, 2, 2, 3}, Indices{-1},
        Indices{6, -1}, Indices{-1, 1, 8}, Indices{2, -1, 4, 1}}) {
    const AnyView<const float> view = reshape(x.view(), sizes);
    EXPECT_EQ(view.data, x.view().data);
    EXPECT_EQ(values_of(view), values);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      EXPECT_TRUE(sizes[axis] < 0 || view.shape[static_cast<int>(axis)] == sizes[axis]);
    }
  }
  const float number = 3;
  EXPECT_EQ(reshape(number, Indices{1, 1}).shape.rank, 2);
  EXPECT_EQ(reshape(reshape(number, Indices{1}), Indices{}).shape.rank, 0);
  const AnyTensor none({0, 3}, random, false);
  EXPECT_EQ(reshape(none.view(), Indices{3, 0, 5}).shape, any_shape({3, 0, 5}));
  EXPECT_EQ(reshape(none.view(), Indices{4, -1}).shape, any_shape({4, 0}));
  // An axis of size 1 leaves no gap, whatever its stride.
  AnyView<const float> row = x.view();
  row.shape[0] = 1;
  row.strides[0] = 99;
  EXPECT_EQ(reshape(row, Indices{12}).shape, any_shape({12}));
}

TEST(Shapes, JoinPutsOneAfterAnother) {
  Random random(5);
  for (int n = 0; n < 300; ++n) {
    Parallel parallel(n % 2 + 1);
    const Join how = n % 3 == 0 ? Join::stack : Join::concatenate;
    Indices sizes = testing::random_sizes(random, 7, 4);
    if (how == Join::concatenate && sizes.empty()) sizes = {2};
    const auto rank = static_cast<Index>(sizes.size()) + (how == Join::stack ? 1 : 0);
    const Index along = below(random, rank), axis = along - below(random, 2) * rank;
    std::vector<AnyView<const float>> tensors;
    // The source of each position along the result: a tensor, and an index in it.
    std::vector<std::pair<std::size_t, Index>> from;
    std::vector<std::unique_ptr<AnyTensor>> keep;
    for (Index count = 1 + below(random, 4); count > 0; --count) {
      Indices own = sizes;
      if (how == Join::concatenate) own[static_cast<std::size_t>(along)] = below(random, 4);
      keep.push_back(std::make_unique<AnyTensor>(own, random, true));
      tensors.push_back(keep.back()->view());
      const Index length = how == Join::stack ? 1 : own[static_cast<std::size_t>(along)];
      for (Index i = 0; i < length; ++i) from.emplace_back(tensors.size() - 1, i);
    }
    const AnyShape shape = joined_shape(how, tensors, axis);
    ASSERT_EQ(shape[static_cast<int>(along)], static_cast<Index>(from.size()));
    AnyTensor out(sizes_of(shape), random, true);
    join(how, tensors, axis, out.view(), parallel);
    for_each_index(sizes_of(shape), [&](const Indices& index) {
      const auto [tensor, place] = from[static_cast<std::size_t>(index[along])];
      Indices inside = index;
      if (how == Join::stack) {
        inside.erase(inside.begin() + along);
      } else {
        inside[static_cast<std::size_t>(along)] = place;
      }
      ASSERT_EQ(element(out.view(), index), element(tensors[tensor], inside));
    });
  }
}

TEST(Shapes, SectionsAreJoinedToTheWhole) {
  Random random(6);
  const AnyTensor x({3, 6, 2}, random, true);
  std::vector<AnyView<const float>> parts;
  for (Index i = 0; i < 3; ++i) parts.push_back(section(x.view(), -2, i, 3));
  EXPECT_EQ(parts[1].shape, any_shape({3, 2, 2}));
  AnyTensor out({3, 6, 2}, random, true);
  join(Join::concatenate, parts, 1, out.view());
  EXPECT_EQ(std::as_const(out).values(), x.values());
}

TEST(Shapes, ArangeCountsAsNumPy) {
  const auto numbers = [](double start, double stop, double step) {
    std::vector<float> values(static_cast<std::size_t>(arange_count(start, stop, step)) + 1);
    const auto count = static_cast<Index>(values.size()) - 1;
    arange(start, step, {values.data(), {count}});
    values.pop_back();
    return values;
  };
  EXPECT_EQ(numbers(0, 3, 1), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(numbers(1, 2, 0.25), (std::vector<float>{1, 1.25, 1.5, 1.75}));
  EXPECT_EQ(numbers(2, -1, -1.5), (std::vector<float>{2, 0.5}));
  EXPECT_EQ(numbers(0, 1, 0.3), (std::vector<float>{0, 0.3f, 0.6f, static_cast<float>(3 * 0.3)}));
  EXPECT_EQ(numbers(3, 3, 1).size(), 0u);
  EXPECT_EQ(numbers(3, 2, 1).size(), 0u);
  EXPECT_EQ(error_of([] { arange_count(0, 1, 0); }), "arange: step: must not be 0");
  EXPECT_EQ(error_of([] { arange_count(0, INFINITY, 1); }), "arange: stop: must be finite, is inf");
  EXPECT_EQ(error_of([] { arange_count(NAN, 1, 1); }), "arange: start: must be finite, is nan");
  EXPECT_EQ(error_of([] { arange_count(0, 1e300, 1e-3); }).find("arange: stop: too large"), 0u);
}

TEST(Shapes, RefuseWhatDoesNotFitAndWriteNothing) {
  Random random(7);
  Buffer<float, 2> x({2, 3}), out({4, 3});
  Buffer<float, 1> row({3});
  out.data()[0] = 7;
  const auto transpose_error = [&](const Indices& axes) {
    return error_of([&] { transpose(x, axes); });
  };
  EXPECT_EQ(transpose_error({0}),
            "transpose: axes: must name every axis once, are [0]; x is [2, 3]");
  EXPECT_EQ(transpose_error({0, 2}), "transpose: axes: there is no axis 2; shape is [2, 3]");
  EXPECT_EQ(transpose_error({0, -2}), "transpose: axes: axis 0 is named twice; shape is [2, 3]");
  const auto slice_error = [&](std::vector<Slice> slices) {
    return error_of([&] { slice(x, slices); });
  };
  EXPECT_EQ(slice_error({{}, {.step = 0}}), "slice: ranges: the step of axis 1 is 0; x is [2, 3]");
  EXPECT_EQ(slice_error({{.start = 2, .is_one = true}}),
            "slice: ranges: axis 0 has no element 2; x is [2, 3]");
  EXPECT_EQ(slice_error({{.start = -3, .is_one = true}}),
            "slice: ranges: axis 0 has no element -3; x is [2, 3]");
  EXPECT_EQ(slice_error({{}, {}, {}}),
            "slice: ranges: are 3, more than there are axes; x is [2, 3]");
  EXPECT_EQ(error_of([&] {
              broadcast_to(x, Indices{3, 2});
            }),
            "broadcast_to: shape: x does not broadcast to [3, 2]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { broadcast_to(x, Indices{3}); }),
            "broadcast_to: shape: x does not broadcast to [3]; x is [2, 3]");
  EXPECT_EQ(error_of([&] {
              broadcast_to(x, Indices{-2, 2, 3});
            }),
            "broadcast_to: shape: no axis may be below 0; shape is [-2, 2, 3]");
  EXPECT_EQ(error_of([&] { broadcast_to(x, Indices(9, 1)); }),
            "broadcast_to: shape: at most 8 axes; shape is [1, 1, 1, 1, 1, 1, 1, 1, 1]");
  const auto reshape_error = [&](const Indices& sizes) {
    return error_of([&] { reshape(x, sizes); });
  };
  EXPECT_EQ(reshape_error({4, 2}), "reshape: shape: cannot be [4, 2] of 6 elements; x is [2, 3]");
  EXPECT_EQ(reshape_error({4, -1}), "reshape: shape: cannot be [4, -1] of 6 elements; x is [2, 3]");
  EXPECT_EQ(reshape_error({-1, -1}), "reshape: shape: no axis may be below 0; shape is [1, -1]");
  EXPECT_EQ(reshape_error({0, -1}), "reshape: shape: -1 could be any size; shape is [0, -1]");
  EXPECT_EQ(error_of([&] {
              reshape(transpose(x, Indices{1, 0}), Indices{6});
            }),
            "reshape: x: must have no gaps: copy it; shape is [3, 2]");
  const auto join_error = [&](Join how, std::vector<AnyView<const float>> tensors, Index axis,
                              const AnyView<float>& to) {
    return error_of([&] { join(how, tensors, axis, to); });
  };
  EXPECT_EQ(join_error(Join::concatenate, {}, 0, out),
            "concatenate: tensors: must be at least one");
  EXPECT_EQ(join_error(Join::concatenate, {x, row}, 0, out),
            "concatenate: tensors: number 1 does not fit the first, [2, 3]; shape is [3]");
  EXPECT_EQ(join_error(Join::concatenate, {x, x, out}, 1, out),
            "concatenate: tensors: number 2 does not fit the first, [2, 3]; shape is [4, 3]");
  EXPECT_EQ(join_error(Join::stack, {x, out}, 0, out),
            "stack: tensors: number 1 does not fit the first, [2, 3]; shape is [4, 3]");
  EXPECT_EQ(join_error(Join::concatenate, {x, x}, 2, out),
            "concatenate: axis: there is no axis 2; shape is [2, 3]");
  EXPECT_EQ(join_error(Join::stack, {x, x}, 3, out),
            "stack: axis: there is no axis 3; shape is [2, 3, 1]");
  EXPECT_EQ(join_error(Join::concatenate, {x, x}, 1, out),
            "concatenate: out: shape must be [2, 6], is [4, 3]");
  EXPECT_EQ(join_error(Join::concatenate, {x, MatrixView<float>(out.data(), {2, 3})}, 0, out)
                .find("concatenate: out: shares memory"),
            0u);
  EXPECT_EQ(join_error(static_cast<Join>(9), {x}, 0, out),
            "join: how: is none of concatenate, stack");
  const AnyTensor eight({1, 1, 1, 1, 1, 1, 1, 1}, random, false);
  EXPECT_EQ(error_of([&] { insert_axis(eight.view(), 0, "stack"); }),
            "stack: axis: there would be more than 8 axes; x is [1, 1, 1, 1, 1, 1, 1, 1]");
  EXPECT_EQ(error_of([&] { section(x, 1, 0, 2); }),
            "split: sections: axis 1 cannot be split into 2 equal parts; x is [2, 3]");
  EXPECT_EQ(error_of([&] { section(x, 1, 0, 0); }),
            "split: sections: axis 1 cannot be split into 0 equal parts; x is [2, 3]");
  const Slice one{.start = 0, .is_one = true};
  EXPECT_EQ(error_of([&] {
              slice_backward(x, {&one, 1}, out);
            }),
            "slice_backward: d_out: shape must be that of the slice, [3], is [2, 3]");
  EXPECT_EQ(error_of([&] {
              slice_backward(out.view()[1], {&one, 1}, out);
            }).find("slice_backward: d_x: shares memory"),
            0u);
  EXPECT_EQ(out.data()[0], 7);
  join(Join::concatenate, std::vector<AnyView<const float>>{x, x}, 0, out);
  EXPECT_EQ(out.data()[0], 0);
}

}  // namespace
}  // namespace tril
