// The schedule of the learning rate: a linear warm-up, then half a cosine (Loshchilov and Hutter
// 2017).
#pragma once

#include <cstdint>

namespace tril {

// A schedule.
struct Schedule {
  double learning_rate = 1e-3;  // maximum, after the warm-up; finite, above 0
  double lowest = 0;            // minimum, at the end; from 0 to learning_rate
  std::int64_t warmup = 0;      // number of steps in which it rises; at least 0
  std::int64_t steps = 0;       // total steps; 0: the rate stays at its maximum

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// The rate of step 0, 1, 2, ...:
//
//   step < warmup   learning_rate (step + 1) / (warmup + 1)
//   step < steps    lowest + (learning_rate - lowest) (1 + cos(pi r)) / 2,
//                   r = (step - warmup) / (steps - warmup)
//   later           lowest
//
// Throws Error for a negative step and a schedule out of range.
double scheduled_rate(const Schedule& schedule, std::int64_t step);

}  // namespace tril
