// Sums, means, extremes and the index of the largest element along any axes of a tensor:
//
//   out = sum of x      mean of x      largest x      smallest x      index of the largest x
//
// as NumPy's functions for float32. Sums and means are computed in double and rounded once; their
// error is at most 2^-24 of the result and n 2^-53 of the sum of the n numbers |x|.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>

#include <span>

namespace tril {

// The reductions.
enum class Reduce { sum, mean, max, min, argmax };

// Their names.
inline constexpr Named<Reduce> kReduce[] = {{"sum", Reduce::sum},
                                            {"mean", Reduce::mean},
                                            {"max", Reduce::max},
                                            {"min", Reduce::min},
                                            {"argmax", Reduce::argmax}};

// `shape` without `axes`; with `keep_dims`, these have size 1 instead. A negative axis counts from
// the end. Throws Error, in the name of `call`, for an axis that does not exist or is named twice.
AnyShape reduced_shape(const AnyShape& shape, std::span<const Index> axes, bool keep_dims,
                       const char* call);

// Reduces x, which has at most 8 axes of any stride, along `axes`. out has the reduced shape, with
// or without axes of size 1, and any strides; it shares no memory with x.
//
// The sum of no elements is 0 and their mean NaN; the other reductions of no elements throw Error.
// Where there is a NaN, max and min are NaN, and argmax gives the first NaN. argmax takes one axis
// or all. It gives the first index of equal elements, along the axis or in row-major order, as a
// float, and so throws Error for more than 2^24 elements.
void reduce(Reduce operation, const AnyView<const float>& x, std::span<const Index> axes,
            const AnyView<float>& out, const Context& context = {});

// Sums the elements of x to which broadcasting would repeat each element of out: the backward pass
// of broadcasting out to the shape of x. Throws Error where the shape of out does not broadcast to
// that of x.
void sum_to(const AnyView<const float>& x, const AnyView<float>& out, const Context& context = {});

// The shape of sum_to(x, sizes), which is `sizes`. Throws Error where it does not broadcast to that
// of x.
AnyShape summed_shape(const AnyShape& x, std::span<const Index> sizes);

}  // namespace tril
