// Arithmetic, element by element, with NumPy's broadcasting:
//
//   out = x + y      out = x - y      out = x * y      out = x / y
//
// An axis of size 1, or one that is missing in front, is repeated: x [T, C] times y [C] scales the
// columns, x [T, C] times y [T, 1] the rows, x [T, C] times a number all.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/named.h>
#include <tril/foundation/parallel.h>

namespace tril {

// The four of them.
enum class Arithmetic { add, subtract, multiply, divide };

// Their names.
inline constexpr Named<Arithmetic> kArithmetic[] = {{"add", Arithmetic::add},
                                                    {"subtract", Arithmetic::subtract},
                                                    {"multiply", Arithmetic::multiply},
                                                    {"divide", Arithmetic::divide}};

// As numpy.add, subtract, multiply and divide of float32: x and y, of at most 8 axes each, views,
// buffers or numbers, and out of the shape that they broadcast to. The last axis of x and y is
// contiguous, or repeats one element; other axes may have any stride. out may be x or y itself
// where that has its shape. Each element is rounded once; division by 0 gives infinities and NaN
// as IEEE 754 has them. Throws Error where shapes do not fit, or where out shares memory with an
// input otherwise or with itself.
void add(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
         Parallel& parallel);
void subtract(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, Parallel& parallel);
void multiply(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, Parallel& parallel);
void divide(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
            Parallel& parallel);

// The one of them that `operation` names.
void arithmetic(Arithmetic operation, const AnyView<const float>& x, const AnyView<const float>& y,
                const AnyView<float>& out, Parallel& parallel);

}  // namespace tril
