// exp, log, sine and cosine in double, for angles, entropies and random numbers: not for loops.
//
// The C library's own bring tables of 9 kB that do not compress into a WebAssembly module of 150
// kB, and differ from platform to platform in the last digit. These are series, the same
// everywhere.
#pragma once

namespace tril {

// e^x for finite x, within 2 units in the last place: e^x = 2^n e^r with |r| <= ln 2 / 2, and
// Taylor's series of e^r up to r^13 / 13!, which leaves out 4e-18.
double exponential(double x) noexcept;

// The natural logarithm of a finite x > 0, within 3 units in the last place: with x = 2^e m and
// m in [sqrt(1/2), sqrt(2)) it is e ln 2 + 2 artanh(s), s = (m - 1) / (m + 1). The series of artanh
// ends at s^21 / 21, which leaves out 1e-17 of it.
double logarithm(double x) noexcept;

// The largest angle, in radians, that sine_and_cosine() takes.
inline constexpr double kLargestAngle = 0x1p31;

// Those of one angle.
struct SineAndCosine {
  double sine;    // in [-1, 1]
  double cosine;  // in [-1, 1]
};

// Both of an angle of at most kLargestAngle, each within 2^-52: a multiple of pi / 2 is taken away
// in three parts (Cody and Waite 1980, section 8), of which the first two are exact; for the rest,
// at most pi / 4, Taylor's series up to the powers 17 and 16, which leave out 2e-18.
SineAndCosine sine_and_cosine(double angle) noexcept;

}  // namespace tril
