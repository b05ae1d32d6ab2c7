// exp, log, sine and cosine in double, for angles, entropies and random numbers; too slow for inner
// loops.
//
// The C library's functions would add 9 kB of incompressible tables to a WebAssembly module of 150
// kB, and differ between platforms in the last digit. These use series and give the same
// everywhere.
#pragma once

namespace tril {

// e^x for finite x, within 2 units in the last place: e^x = 2^n e^r with |r| <= ln 2 / 2, and
// Taylor's series of e^r up to r^13 / 13!, with an error of 4e-18.
double exponential(double x) noexcept;

// The natural logarithm of a finite x > 0, within 3 units in the last place: with x = 2^e m and m
// in [sqrt(1/2), sqrt(2)) it is e ln 2 + 2 artanh(s), s = (m - 1) / (m + 1). The series of artanh
// ends at s^21 / 21, with a relative error of 1e-17.
double logarithm(double x) noexcept;

// The largest angle, in radians, that sine_and_cosine() accepts.
inline constexpr double kLargestAngle = 0x1p31;

// The sine and the cosine of one angle.
struct SineAndCosine {
  double sine;    // in [-1, 1]
  double cosine;  // in [-1, 1]
};

// Sine and cosine of an angle of at most kLargestAngle, each within 2^-52. A multiple of pi / 2 is
// subtracted in three parts (Cody and Waite 1980, section 8), of which the first two are exact.
// Taylor's series up to the powers 17 and 16 give the rest, an angle of at most pi / 4, with an
// error of 2e-18.
SineAndCosine sine_and_cosine(double angle) noexcept;

}  // namespace tril
