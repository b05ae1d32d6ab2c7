// How far two tensors are apart, in double: norms of the difference, the worst element, and how
// many elements are beyond a tolerance.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// An element passes where |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;  // not below 0
  double relative = 0;  // not below 0
};

// Of two elements that are both NaN, or the same infinity, the distance is 0; of others that are
// not both finite it is infinite.
struct Difference {
  Index count = 0;            // elements compared
  Index beyond = 0;           // how many do not pass
  double frobenius = 0;       // root of the sum of squared distances
  double expected_norm = 0;   // the same of what is expected
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
