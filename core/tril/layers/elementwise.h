// Operations element by element, with NumPy's broadcasting:
//
//   out = f(x)      out = x op y      out = x where a condition holds, else y      out = x
//
// An axis of size 1, or one that is missing in front, is repeated: x [T, C] times y [C] scales the
// columns, times y [T, 1] the rows, and times a number all elements.
//
// Arguments are views, such as those of shapes.h, buffers or numbers, with at most 8 axes of any
// stride. out has the shape that the inputs broadcast to, and may be an input of that shape. All
// calls throw Error where shapes do not fit, where out partly overlaps an input, or where elements
// of out share memory.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/layers/operations.h>

namespace tril {

// The names of operations.
inline constexpr Named<Unary> kUnary[] = {{"exp", Unary::exp},       {"log", Unary::log},
                                          {"sqrt", Unary::sqrt},     {"abs", Unary::abs},
                                          {"negate", Unary::negate}, {"tanh", Unary::tanh}};
inline constexpr Named<Binary> kBinary[] = {
    {"add", Binary::add},           {"subtract", Binary::subtract},
    {"multiply", Binary::multiply}, {"divide", Binary::divide},
    {"maximum", Binary::maximum},   {"minimum", Binary::minimum},
    {"equal", Binary::equal},       {"not_equal", Binary::not_equal},
    {"less", Binary::less},         {"less_equal", Binary::less_equal},
    {"greater", Binary::greater},   {"greater_equal", Binary::greater_equal},
    {"power", Binary::power}};

// out = f(x), as NumPy's functions of these names for float32. exp and log are within 1 ulp, tanh
// within 3; sqrt is correctly rounded, abs and negate are exact.
void unary(Unary operation, const AnyView<const float>& x, const AnyView<float>& out,
           const Context& context = {});

// out = x op y, as NumPy's functions of these names for float32. Arithmetic is correctly rounded;
// division by 0 gives the infinities and NaN of IEEE 754. maximum and minimum are NaN where either
// input is. A comparison gives 1 where it holds, else 0; with NaN only not_equal holds. power is
// computed in double, with the special values of C's pow, and is within 0.51 ulp.
void binary(Binary operation, const AnyView<const float>& x, const AnyView<const float>& y,
            const AnyView<float>& out, const Context& context = {});

// out = x where condition is not 0 (NaN counts as not 0), else y: numpy.where.
void where(const AnyView<const float>& condition, const AnyView<const float>& x,
           const AnyView<const float>& y, const AnyView<float>& out, const Context& context = {});

// The shape of where()'s result. Throws Error where the shapes do not broadcast.
AnyShape where_shape(const AnyShape& condition, const AnyShape& x, const AnyShape& y);

// out = x, broadcast to the shape of out: numpy.copyto. Turns any view into a tensor without gaps.
void copy(const AnyView<const float>& x, const AnyView<float>& out, const Context& context = {});

// The four most common operations by name.
void add(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
         const Context& context = {});
void subtract(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, const Context& context = {});
void multiply(const AnyView<const float>& x, const AnyView<const float>& y,
              const AnyView<float>& out, const Context& context = {});
void divide(const AnyView<const float>& x, const AnyView<const float>& y, const AnyView<float>& out,
            const Context& context = {});

}  // namespace tril
