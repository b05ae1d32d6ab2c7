// Mean, variance and extremes of numbers, and how some grow with others, computed in double.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// What statistics() finds.
struct Statistics {
  double mean = 0;      // the sum divided by n
  double variance = 0;  // the mean squared distance from the mean: divided by n, not by n - 1
  double smallest = 0, largest = 0;  // the extremes
};

// Of all elements; where one is NaN all four are. Two passes, so that a mean that is large beside
// the distances costs no digits (Higham 2002, section 1.9). Throws Error for a view that is none.
Statistics statistics(VectorView<const float> x);
Statistics statistics(VectorView<const double> x);

// The power of x that y grows with: the slope of log y over log x by least squares, such as 3 for
// the times of n * n products. Throws Error where the lengths differ or a number is not finite and
// above 0, and for less than two different x.
double growth(VectorView<const float> x, VectorView<const float> y);
double growth(VectorView<const double> x, VectorView<const double> y);

}  // namespace tril
