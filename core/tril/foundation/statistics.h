// Mean, variance and extremes of numbers, and the growth of one series with another, computed in
// double.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// The result of statistics().
struct Statistics {
  double mean = 0;      // the sum divided by n
  double variance = 0;  // the mean squared distance from the mean: divided by n, not by n - 1
  double smallest = 0, largest = 0;  // the extremes
};

// The statistics of all elements; all four are NaN where an element is. It takes two passes, so
// that a mean much larger than the distances costs no digits (Higham 2002, section 1.9). Throws
// Error for a null view.
Statistics statistics(VectorView<const float> x);
Statistics statistics(VectorView<const double> x);

// The exponent of x with which y grows, such as 3 for the times of n * n products: the slope of log
// y over log x by least squares. Throws Error where the lengths differ or a number is not finite
// and above 0, and for fewer than two different x.
double growth(VectorView<const float> x, VectorView<const float> y);
double growth(VectorView<const double> x, VectorView<const double> y);

}  // namespace tril
