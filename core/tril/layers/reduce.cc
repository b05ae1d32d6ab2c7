#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/loops.h>
#include <tril/layers/reduce.h>
#include <tril/layers/reduce_kernels.h>
#include <tril/layers/shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tril {
namespace {

using detail::AxisSet, detail::LoopAxis, detail::LoopOffsets, detail::Loops;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Maximum number of reductions computed side by side: 1 KiB of values.
constexpr Index kMostLanes = 128;
// Number of partial results of a row that is reduced to one number; few, since they are joined at
// its end.
constexpr Index kRowLanes = 32;

// The state of up to kMostLanes reductions side by side, or of parts of one.
class Lanes {
 public:
  Lanes(Reduce operation, const ReduceKernels& kernels) noexcept
      : operation_(operation), kernels_(kernels) {}

  void start(Index count) noexcept {
    const double first = operation_ == Reduce::max || operation_ == Reduce::argmax ? -kInfinity
                         : operation_ == Reduce::min                               ? kInfinity
                                                                                   : 0;
    std::fill_n(values_.begin(), count, first);
    std::fill_n(places_.begin(), count, 0.0);
  }

  void fold(const float* x, double place, Index count) noexcept {
    switch (operation_) {
      case Reduce::sum:
      case Reduce::mean:
        return kernels_.add(x, values_.data(), count);
      case Reduce::max:
        return kernels_.max(x, values_.data(), count);
      case Reduce::min:
        return kernels_.min(x, values_.data(), count);
      case Reduce::argmax:
        return kernels_.argmax(x, place, values_.data(), places_.data(), count);
    }
  }

  // Joins lanes that are parts of one row, lane i beginning at its element i, into lane 0.
  void join(Index count) noexcept {
    double& value = values_[0];
    double& place = places_[0];
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
      const double other = values_[i], there = places_[i] + static_cast<double>(i);
      if (operation_ == Reduce::sum || operation_ == Reduce::mean) {
        value += other;
        continue;
      }
      const bool is_equal = other == value || (std::isnan(other) && std::isnan(value));
      const bool is_beyond = operation_ == Reduce::min ? other < value : other > value;
      if (is_equal ? there < place : is_beyond || (std::isnan(other) && !std::isnan(value))) {
        value = other;
        place = there;
      }
    }
  }

  float result(Index lane, double count) const noexcept {
    const auto i = static_cast<std::size_t>(lane);
    if (operation_ == Reduce::argmax) return static_cast<float>(places_[i]);
    return static_cast<float>(operation_ == Reduce::mean ? values_[i] / count : values_[i]);
  }

 private:
  Reduce operation_;
  const ReduceKernels& kernels_;
  std::array<double, kMostLanes> values_, places_;
};

// The axes of a reduction: `folded`, those of x alone, and `kept`, those of out and x.
struct Axes {
  Loops kept, folded;
  double count;  // elements of x for each element of out
  bool columns;  // whether neighbours in x belong to neighbours in out

  // `out` has all axes of x.
  Axes(const AnyView<const float>& x, const AxisSet& reduced, const AnyView<float>& out)
      : kept(out.shape, {out, along(x, reduced, false)}),
        folded(along(x, reduced, true).shape, {along(x, reduced, true)}),
        count(1) {
    for (int axis = 0; axis < x.shape.rank; ++axis) {
      if (reduced[axis]) count *= static_cast<double>(x.shape[axis]);
    }
    columns = kept.inner().size > 1 && kept.inner().steps[1] == 1 &&
              !(folded.inner().size > 1 && folded.inner().steps[0] == 1);
    if (!columns) kept = kept.over_elements();
  }

 private:
  // x with size 1 along all other axes.
  static AnyView<const float> along(AnyView<const float> x, const AxisSet& reduced, bool wanted) {
    for (int axis = 0; axis < x.shape.rank; ++axis) {
      if (reduced[axis] != wanted) x.shape[axis] = 1;
    }
    return x;
  }
};

// for each row of the folded axes:
//   columns: lanes are elements of out; each element of the row is a run of neighbours in x
//   else:    lanes are parts of the row, gathered where it has gaps
void fold_all(const Axes& axes, const float* x, Index width, Lanes& lanes) noexcept {
  const LoopAxis row = axes.folded.inner();
  const Index rows = axes.folded.rows(), step = row.steps[0];
  LoopOffsets offsets(axes.folded, 0);
  double before = 0;  // elements in earlier rows
  for (Index n = 0; n < rows; ++n, offsets.next_row(), before += static_cast<double>(row.size)) {
    const float* const from = x + offsets[0];
    for (Index first = 0; first < row.size; first += axes.columns ? 1 : kRowLanes) {
      const double at = before + static_cast<double>(first);
      if (axes.columns) {
        lanes.fold(from + first * step, at, width);
        continue;
      }
      const Index count = std::min(kRowLanes, row.size - first);
      float gathered[kRowLanes];
      if (step != 1) {
        for (Index i = 0; i < count; ++i) gathered[i] = from[(first + i) * step];
      }
      lanes.fold(step == 1 ? from + first : gathered, at, count);
    }
  }
  if (!axes.columns) lanes.join(std::min(kRowLanes, row.size));
}

// x and out have the same rank; out has size 1 along the reduced axes.
void run(Reduce operation, const AnyView<const float>& x, const AxisSet& reduced,
         const AnyView<float>& out, const Context& context) {
  const Axes axes(x, reduced, out);
  const LoopAxis row = axes.kept.inner();
  const Index pieces = (row.size + kMostLanes - 1) / kMostLanes;  // per row of out
  const double cost = axes.count * static_cast<double>(std::min(row.size, kMostLanes));
  const ReduceKernels& kernels = reduce_kernels();
  for_row_ranges(axes.kept.rows() * pieces, static_cast<Index>(std::min(cost, 1e6)), context,
                 [&](Index first, Index last) {
                   Lanes lanes(operation, kernels);
                   LoopOffsets offsets(axes.kept, first / pieces);
                   for (Index item = first; item < last; ++item) {
                     const Index begin = item % pieces * kMostLanes;
                     const Index width = std::min(kMostLanes, row.size - begin);
                     lanes.start(axes.columns ? width : kRowLanes);
                     if (axes.count > 0) {
                       fold_all(axes, x.data + offsets[1] + begin * row.steps[1], width, lanes);
                     }
                     float* const to = out.data + offsets[0] + begin * row.steps[0];
                     for (Index i = 0; i < width; ++i) {
                       to[i * row.steps[0]] = lanes.result(i, axes.count);
                     }
                     if ((item + 1) % pieces == 0) offsets.next_row();
                   }
                 });
}

// The number of elements of a checked shape.
double count_of(const AnyShape& shape) noexcept {
  double count = 1;
  for (int axis = 0; axis < shape.rank; ++axis) count *= static_cast<double>(shape[axis]);
  return count;
}

// The same elements with an axis of size 1 for each reduced one.
AnyView<float> with_reduced_axes(const AnyView<float>& out, const AnyShape& kept,
                                 const AxisSet& reduced) noexcept {
  if (out.shape.rank == kept.rank) return out;
  AnyView<float> view = out;
  view.shape = kept;
  view.strides = kept;
  for (int axis = 0, own = 0; axis < kept.rank; ++axis) {
    view.strides[axis] = reduced[axis] ? 1 : out.strides[own++];
  }
  return view;
}

}  // namespace

TRIL_DEFINE_DISPATCH(ReduceKernels, kReduceKernels, reduce_kernels)

AnyShape reduced_shape(const AnyShape& shape, std::span<const Index> axes, bool keep_dims,
                       const char* call) {
  const AxisSet reduced(axes, shape, call);
  AnyShape result;
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (!reduced[axis]) result[result.rank++] = shape[axis];
    if (reduced[axis] && keep_dims) result[result.rank++] = 1;
  }
  return result;
}

void reduce(Reduce operation, const AnyView<const float>& x, std::span<const Index> axes,
            const AnyView<float>& out, const Context& context) {
  const char* const call = name_of(kReduce, operation).data();
  if (!call) fail("reduce", "operation", "is none of sum, mean, max, min, argmax");
  check_strided(x, call, "x");
  check_strided(out, call, "out");
  const AxisSet reduced(axes, x.shape, call);
  const AnyShape kept = reduced_shape(x.shape, axes, true, call);
  const AnyShape left = reduced_shape(x.shape, axes, false, call);
  if (out.shape != left && out.shape != kept) {
    fail(call, "out", {"shape must be ", left, ", is ", out.shape, "; x is ", x.shape});
  }
  check_no_overlap(out, AnyView<const float>(x), call, "out");
  const double results = count_of(kept);
  const bool chooses = operation != Reduce::sum && operation != Reduce::mean;
  if (chooses && results > 0 && count_of(x.shape) == 0) {
    fail(call, "x", {"has no elements to choose from; shape is ", x.shape});
  }
  if (operation == Reduce::argmax) {
    const auto count = static_cast<int>(axes.size());
    if (count != 1 && count != x.shape.rank) {
      fail(call, "axis", {"must be one or all of them, are ", count, "; x is ", x.shape});
    }
    if (results > 0 && count_of(x.shape) / results > 0x1p24) {
      fail(call, "x", {"has more than 2^24 places to choose from; shape is ", x.shape});
    }
  }
  run(operation, x, reduced, with_reduced_axes(out, kept, reduced), context);
}

AnyShape summed_shape(const AnyShape& x, std::span<const Index> sizes) {
  AnyShape shape;
  if (sizes.size() <= static_cast<std::size_t>(x.rank)) {
    shape.rank = static_cast<int>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), shape.sizes.begin());
    if (broadcast_shape(shape, x) == x) return shape;
  }
  fail("sum_to", "shape", {"does not broadcast to that of x; is ", sizes, ", x is ", x});
}

void sum_to(const AnyView<const float>& x, const AnyView<float>& out, const Context& context) {
  constexpr const char* kCall = "sum_to";
  check_strided(x, kCall, "x");
  check_strided(out, kCall, "out");
  summed_shape(x.shape, out.shape);
  check_no_overlap(out, x, kCall, "out");
  AxisSet reduced;
  AnyView<float> view = out;
  view.shape.rank = view.strides.rank = x.shape.rank;
  for (int axis = 0; axis < x.shape.rank; ++axis) {
    const int own = axis - (x.shape.rank - out.shape.rank);
    view.shape[axis] = own < 0 ? 1 : out.shape[own];
    view.strides[axis] = own < 0 ? 1 : out.strides[own];
    if (view.shape[axis] != x.shape[axis]) reduced.insert(axis);
  }
  run(Reduce::sum, x, reduced, view, context);
}

}  // namespace tril
