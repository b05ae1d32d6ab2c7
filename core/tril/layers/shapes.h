// The same elements in another shape, with NumPy's names and rules; tensors of at most 8 axes.
//
//   transpose, slice, section, broadcast_to, insert_axis   are views of x: no element is moved
//   reshape                                                is a view of an x without gaps
//   join (concatenate, stack)                              copies into out
//
// A view may have any strides, also along its last axis, and may repeat elements. What takes an
// AnyView reads it as it is; copy() of elementwise.h makes a tensor without gaps of it.
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

// x repeated to `sizes`. Throws Error where it does not broadcast to them.
AnyView<const float> broadcast_to(const AnyView<const float>& x, std::span<const Index> sizes);

// x with an axis of size 1 before axis `axis` of the result, counted from the end where negative.
AnyView<const float> insert_axis(const AnyView<const float>& x, Index axis, const char* call);

// What is taken of one axis.
struct Slice {
  std::optional<Index> start{}, stop{};  // counted from the end where negative; all unless given
  Index step = 1;                        // below 0 backwards; not 0
  bool is_one = false;                   // the element at `start` alone, and the axis is left out
};

// slices[i] of axis i, all of the axes after them. What is beyond an axis is cut off. Throws Error
// for an element that is not there, a step of 0 and more slices than axes.
AnyView<const float> slice(const AnyView<const float>& x, std::span<const Slice> slices,
                           const char* call = "slice");

// The same of one axis, counted from the end where negative; all of the others.
AnyView<const float> slice_axis(const AnyView<const float>& x, Index axis, const Slice& slice,
                                const char* call);

// The gradient of slice's x, given that of its output: d_out where x was taken, 0 elsewhere. d_x is
// overwritten. Throws Error unless d_out has the shape of the slice of d_x and lies apart from it.
void slice_backward(const AnyView<const float>& d_out, std::span<const Slice> slices,
                    const AnyView<float>& d_x, const Context& context = {});

// Number `index` of `sections` parts of one size along `axis`: numpy.split. Throws Error where the
// size is no multiple of `sections`; what has no elements is one section.
AnyView<const float> section(const AnyView<const float>& x, Index axis, Index index,
                             Index sections);

// x with the same elements in row-major order in a shape of `sizes`, of which one may be -1: what
// is left. Throws Error where there are more or fewer elements, and where x has gaps.
AnyView<const float> reshape(const AnyView<const float>& x, std::span<const Index> sizes);

// Along an axis that is there, or along a new one.
enum class Join { concatenate, stack };

// Their names.
inline constexpr Named<Join> kJoins[] = {{"concatenate", Join::concatenate},
                                         {"stack", Join::stack}};

// The shape of what join() gives. Throws Error where there are no tensors, or their shapes differ,
// for concatenate in another axis than `axis`.
AnyShape joined_shape(Join how, std::span<const AnyView<const float>> tensors, Index axis);

// One after another along `axis`, counted from the end of out's shape where negative. out has the
// joined shape and shares no memory with any of them; else throws Error.
void join(Join how, std::span<const AnyView<const float>> tensors, Index axis,
          const AnyView<float>& out, const Context& context = {});

// How many numbers start, start + step, ... lie before stop. Throws Error for a step of 0, what is
// not finite, and more than can be addressed.
Index arange_count(double start, double stop, double step);

// out[i] = start + i step, in double and rounded once: numpy.arange.
void arange(double start, double step, VectorView<float> out);

namespace detail {

// `axis`, counted from the end of `shape` where negative, counted from its beginning. Throws Error,
// in the name of `call` and of `argument`, where there is none.
int axis_of(Index axis, const AnyShape& shape, const char* call, const char* argument = "axis");

// Which axes are chosen.
class AxisSet {
 public:
  AxisSet() = default;
  // Throws Error for an axis that is not there or is named twice.
  AxisSet(std::span<const Index> axes, const AnyShape& shape, const char* call,
          const char* argument = "axis");

  bool operator[](int axis) const noexcept { return (axes_ >> axis & 1) != 0; }
  void insert(int axis) noexcept { axes_ |= 1u << axis; }

 private:
  unsigned axes_ = 0;
};

}  // namespace detail
}  // namespace tril
