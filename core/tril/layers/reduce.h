// Sums, means, extremes and where these are, along any axes of a tensor:
//
//   out = sum of x      mean of x      largest x      smallest x      place of the largest x
//
// as NumPy's functions of that name, of float32. Sums and means are formed in double and rounded
// once: within 2^-24 of the result and n 2^-53 of the sum of the n sizes |x|.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>

#include <span>

namespace tril {

// What elements are reduced to.
enum class Reduce { sum, mean, max, min, argmax };

// Their names.
inline constexpr Named<Reduce> kReduce[] = {{"sum", Reduce::sum},
                                            {"mean", Reduce::mean},
                                            {"max", Reduce::max},
                                            {"min", Reduce::min},
                                            {"argmax", Reduce::argmax}};

// `shape` without `axes`, which count from the end where negative, or with these of size 1 where
// `keep_dims`. Throws Error, in the name of `call`, for an axis that is not there or is named
// twice.
AnyShape reduced_shape(const AnyShape& shape, std::span<const Index> axes, bool keep_dims,
                       const char* call);

// Reduces x, of at most 8 axes with any strides, along `axes`. out has the reduced shape, with axes
// of size 1 or without, any strides, and shares no memory with x.
//
// A sum of no elements is 0, their mean NaN; the others throw Error where there are none to choose
// from. max, min and argmax of what has a NaN are NaN, and the place of the first NaN. argmax takes
// one axis or all; it gives the first place of several, counted along the axis, or through all
// elements in row-major order, as a float: it throws Error where there are more than 2^24 places,
// which no float counts.
void reduce(Reduce operation, const AnyView<const float>& x, std::span<const Index> axes,
            const AnyView<float>& out, const Context& context = {});

// The sum of all elements of x that broadcasting makes of one of out: what a gradient of out
// repeated to the shape of x goes back by. Throws Error where the shape of out does not broadcast
// to that of x.
void sum_to(const AnyView<const float>& x, const AnyView<float>& out, const Context& context = {});

// The shape that sum_to(x, sizes) gives: `sizes`. Throws Error where these do not broadcast to x's.
AnyShape summed_shape(const AnyShape& x, std::span<const Index> sizes);

}  // namespace tril
