#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/unchecked.h>

#include <algorithm>
#include <array>
#include <string>

namespace tril {
namespace {

// An axis of the result: how many elements, and how far the next one is in each tensor, 0 where one
// element is repeated.
struct Axis {
  Index size = 1, x = 0, y = 0, out = 0;

  // Whether this axis, outside of `inner`, goes on where that ends.
  bool continues(const Axis& inner) const noexcept {
    return x == inner.size * inner.x && y == inner.size * inner.y && out == inner.size * inner.out;
  }
};

// The loops over the result, outermost first: axes of size 1 left out, axes that are one long row
// joined.
struct Loops {
  int depth = 0;
  std::array<Axis, detail::kMostAxes> axes{};

  Axis& operator[](int axis) noexcept { return axes[static_cast<std::size_t>(axis)]; }
  const Axis& operator[](int axis) const noexcept { return axes[static_cast<std::size_t>(axis)]; }
};

template <typename T>
Index stride_along(const AnyView<T>& view, int axis, int rank) noexcept {
  const int own = axis - (rank - view.shape.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
}

Loops loops_over(const AnyView<const float>& x, const AnyView<const float>& y,
                 const AnyView<float>& out) noexcept {
  const int rank = out.shape.rank;
  Loops loops;
  for (int axis = 0; axis < rank; ++axis) {
    if (out.shape[axis] == 1) continue;
    const Axis inner{out.shape[axis], stride_along(x, axis, rank), stride_along(y, axis, rank),
                     stride_along(out, axis, rank)};
    if (loops.depth > 0 && loops[loops.depth - 1].continues(inner)) {
      loops[loops.depth - 1] = {loops[loops.depth - 1].size * inner.size, inner.x, inner.y,
                                inner.out};
    } else {
      loops[loops.depth++] = inner;
    }
  }
  return loops;
}

// Where a run of the innermost axis begins: counts up the axes around it.
class Place {
 public:
  Place(const Loops& loops, Index row) noexcept : loops_(loops) {
    for (int axis = loops.depth - 1; axis-- > 0;) {
      index_[static_cast<std::size_t>(axis)] = row % loops[axis].size;
      row /= loops[axis].size;
      step(axis, index_[static_cast<std::size_t>(axis)]);
    }
  }

  void next_row() noexcept {
    for (int axis = loops_.depth - 1; axis-- > 0;) {
      Index& index = index_[static_cast<std::size_t>(axis)];
      step(axis, 1);
      if (++index < loops_[axis].size) return;
      step(axis, -index);
      index = 0;
    }
  }

  Index x = 0, y = 0, out = 0;

 private:
  void step(int axis, Index by) noexcept {
    x += by * loops_[axis].x;
    y += by * loops_[axis].y;
    out += by * loops_[axis].out;
  }

  const Loops& loops_;
  std::array<Index, detail::kMostAxes> index_{};
};

// One run of the innermost axis, by the kernel that its strides allow.
void run(const ElementwiseKernels::Pairs& kernel, const Axis& axis, const float* x, const float* y,
         float* out, Index count) noexcept {
  if (axis.out == 1 && axis.x == 1 && axis.y == 1) return kernel.both(x, y, out, count);
  if (axis.out == 1 && axis.x == 1 && axis.y == 0) return kernel.one_y(x, y, out, count);
  if (axis.out == 1 && axis.x == 0 && axis.y == 1) return kernel.one_x(x, y, out, count);
  for (Index i = 0; i < count; ++i) {
    kernel.both(x + i * axis.x, y + i * axis.y, out + i * axis.out, 1);
  }
}

// Of what is read, one element may stand for its whole last axis: no kernel reads on there.
void check_read(const AnyView<const float>& view, const char* call, const char* argument) {
  AnyView<const float> checked = view;
  const int last = view.strides.rank - 1;
  if (last >= 0 && view.strides[last] == 0) checked.strides[last] = 1;
  check_view(checked, call, argument);
}

void check(const char* call, const AnyView<const float>& x, const AnyView<const float>& y,
           const AnyView<float>& out) {
  check_read(x, call, "x");
  check_read(y, call, "y");
  check_view(out, call, "out");
  const AnyShape shape = broadcast_shape(x.shape, y.shape, call);
  if (out.shape != shape) {
    fail(call, "out",
         {"shape must be ", shape, ", is ", out.shape, "; x is ", x.shape, ", y is ", y.shape});
  }
  check_in_place(out, x, call, "out");
  check_in_place(out, y, call, "out");
}

// for each run of at most kElementsPerItem neighbours: out = x op y
void apply(const ElementwiseKernels::Pairs& kernel, const AnyView<const float>& x,
           const AnyView<const float>& y, const AnyView<float>& out, Parallel& parallel) {
  const Loops loops = loops_over(x, y, out);
  Index rows = 1;
  for (int axis = 0; axis + 1 < loops.depth; ++axis) rows *= loops[axis].size;
  const Axis inner = loops.depth > 0 ? loops[loops.depth - 1] : Axis{};
  const Index pieces = (inner.size + kElementsPerItem - 1) / kElementsPerItem;  // of a row
  for_row_ranges(rows * pieces, std::min(inner.size, kElementsPerItem), parallel,
                 [&](Index first, Index last) {
                   Place place(loops, first / pieces);
                   for (Index item = first; item < last; ++item) {
                     const Index begin = item % pieces * kElementsPerItem;
                     run(kernel, inner, x.data + place.x + begin * inner.x,
                         y.data + place.y + begin * inner.y,
                         out.data + place.out + begin * inner.out,
                         std::min(kElementsPerItem, inner.size - begin));
                     if ((item + 1) % pieces == 0) place.next_row();
                   }
                 });
}

}  // namespace

void add(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
         Parallel& parallel) {
  check("add", x, y, out);
  apply(elementwise_kernels().add, x, y, out, parallel);
}

void subtract(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, Parallel& parallel) {
  check("subtract", x, y, out);
  apply(elementwise_kernels().subtract, x, y, out, parallel);
}

void multiply(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, Parallel& parallel) {
  check("multiply", x, y, out);
  apply(elementwise_kernels().multiply, x, y, out, parallel);
}

void divide(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
            Parallel& parallel) {
  check("divide", x, y, out);
  apply(elementwise_kernels().divide, x, y, out, parallel);
}

void detail::run_add(const AnyView<const float>& x, const AnyView<const float>& y,
                     const AnyView<float>& out, Parallel& parallel) {
  apply(elementwise_kernels().add, x, y, out, parallel);
}

void arithmetic(Arithmetic operation, const AnyView<const float>& x, const AnyView<const float>& y,
                const AnyView<float>& out, Parallel& parallel) {
  switch (operation) {
    case Arithmetic::add:
      return add(x, y, out, parallel);
    case Arithmetic::subtract:
      return subtract(x, y, out, parallel);
    case Arithmetic::multiply:
      return multiply(x, y, out, parallel);
    case Arithmetic::divide:
      return divide(x, y, out, parallel);
  }
  fail("arithmetic", "operation", "is none of add, subtract, multiply, divide");
}

}  // namespace tril
