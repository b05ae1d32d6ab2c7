// The difference of two tensors, computed in double: norms, the worst element, and the number of
// elements beyond a tolerance.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// An element passes where |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;  // not below 0
  double relative = 0;  // not below 0
};

// The result of compare(). Two NaN, or two equal infinities, have the distance 0; other elements
// that are not both finite have an infinite one.
struct Difference {
  Index count = 0;            // number of elements compared
  Index beyond = 0;           // number of elements that do not pass
  double frobenius = 0;       // root of the sum of squared distances
  double expected_norm = 0;   // root of the sum of squared expected elements
  double relative = 0;        // frobenius over expected_norm; 0 over 0 is 0
  double max_absolute = 0;    // the largest distance
  double max_relative = 0;    // the largest distance over |expected|; 0 over 0 is 0
  Index worst = 0;            // the first element whose distance is the largest
  double worst_relative = 0;  // that distance over its |expected|; 0 over 0 is 0
};

// Throws Error where the lengths differ, and for a tolerance that is negative or not finite.
Difference compare(VectorView<const float> expected, VectorView<const float> actual,
                   const Tolerance& tolerance = {});
Difference compare(VectorView<const double> expected, VectorView<const double> actual,
                   const Tolerance& tolerance = {});

}  // namespace tril
