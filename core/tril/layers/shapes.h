// The same elements in another shape, with NumPy's names and rules, for tensors of at most 8 axes.
//
//   transpose, slice, section, broadcast_to, insert_axis   are views of x: no element is moved
//   reshape                                                is a view of an x without gaps
//   join (concatenate, stack)                              copies into out
//
// A view may have any strides, also along its last axis, and may repeat elements. Calls that take
// an AnyView read it directly; copy() of elementwise.h turns it into a tensor without gaps.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>

#include <optional>
#include <span>

namespace tril {

// Axis i of the view is axis axes[i] of x, counted from the end where negative. Throws Error unless
// every axis is named once.
AnyView<const float> transpose(const AnyView<const float>& x, std::span<const Index> axes);

// x broadcast to `sizes`. Throws Error where that is not possible.
AnyView<const float> broadcast_to(const AnyView<const float>& x, std::span<const Index> sizes);

// x with a new axis of size 1, which is axis `axis` of the result, counted from the end where
// negative.
AnyView<const float> insert_axis(const AnyView<const float>& x, Index axis, const char* call);

// The selection on one axis.
struct Slice {
  std::optional<Index> start{}, stop{};  // counted from the end where negative (default: all)
  Index step = 1;                        // below 0: backwards; not 0
  bool is_one = false;                   // takes the element at `start` alone and removes the axis
};

// Takes slices[i] of axis i, and all of the axes after the last slice. Parts beyond the end of an
// axis are ignored. Throws Error for an element that does not exist, a step of 0 and more slices
// than axes.
AnyView<const float> slice(const AnyView<const float>& x, std::span<const Slice> slices,
                           const char* call = "slice");

// The same for one axis, counted from the end where negative, and all of the others.
AnyView<const float> slice_axis(const AnyView<const float>& x, Index axis, const Slice& slice,
                                const char* call);

// The backward pass of slice: d_x is overwritten with d_out where x was taken, and 0 elsewhere.
// Throws Error unless d_out has the shape of the slice of d_x and shares no memory with it.
void slice_backward(const AnyView<const float>& d_out, std::span<const Slice> slices,
                    const AnyView<float>& d_x, const Context& context = {});

// Part `index` of `sections` equal parts along `axis`: numpy.split. Throws Error where the size of
// the axis is not a multiple of `sections`; an axis of size 0 is one section.
AnyView<const float> section(const AnyView<const float>& x, Index axis, Index index,
                             Index sections);

// The elements of x, in row-major order, in the shape `sizes`; one size may be -1 and is computed
// from the others. Throws Error where the number of elements differs, and where x has gaps.
AnyView<const float> reshape(const AnyView<const float>& x, std::span<const Index> sizes);

// Joins along an existing axis (concatenate) or along a new one (stack).
enum class Join { concatenate, stack };

// Their names.
inline constexpr Named<Join> kJoins[] = {{"concatenate", Join::concatenate},
                                         {"stack", Join::stack}};

// The shape of join()'s result. Throws Error where there are no tensors or their shapes differ; for
// concatenate, `axis` may differ.
AnyShape joined_shape(Join how, std::span<const AnyView<const float>> tensors, Index axis);

// Joins the tensors in order along `axis` of out, counted from the end where negative. Throws Error
// unless out has the joined shape and shares no memory with the tensors.
void join(Join how, std::span<const AnyView<const float>> tensors, Index axis,
          const AnyView<float>& out, const Context& context = {});

// The number of start, start + step, ... before stop. Throws Error for a step of 0, for arguments
// that are not finite, and for more numbers than can be addressed.
Index arange_count(double start, double stop, double step);

// out[i] = start + i step, computed in double and rounded once: numpy.arange.
void arange(double start, double step, VectorView<float> out);

namespace detail {

// The non-negative number of `axis`, which counts from the end of `shape` where negative. Throws
// Error, naming `call` and `argument`, where it does not exist.
int axis_of(Index axis, const AnyShape& shape, const char* call, const char* argument = "axis");

// A set of chosen axes.
class AxisSet {
 public:
  AxisSet() = default;
  // Throws Error for an axis that does not exist or is named twice.
  AxisSet(std::span<const Index> axes, const AnyShape& shape, const char* call,
          const char* argument = "axis");

  bool operator[](int axis) const noexcept { return (axes_ >> axis & 1) != 0; }
  void insert(int axis) noexcept { axes_ |= 1u << axis; }

 private:
  unsigned axes_ = 0;
};

}  // namespace detail
}  // namespace tril
