// Numbers behind a mask, and numbers without a gradient, change no bit of anything else: compares
// runs with NaN, infinities or huge numbers there with a run with any other number.
#pragma once

#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tril::testing {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kGarbage[] = {0.5f, -3.0f, 1e38f, -1e38f, kInfinity, -kInfinity, kNaN};

inline Buffer<float, 4> normal4(const Shape<4>& shape, Random& random) {
  Buffer<float, 4> buffer(shape);
  fill_normal(buffer.view(), random);
  return buffer;
}

template <int Rank>
void append(const TensorView<const float, Rank>& view, std::vector<float>& all) {
  if constexpr (Rank == 1) {
    all.insert(all.end(), view.data(), view.data() + view.size(0));
  } else {
    for (Index i = 0; i < view.size(0); ++i) append<Rank - 1>(view[i], all);
  }
}

// run(garbage) returns all numbers that may not depend on it. Zeros may differ in sign.
inline void expect_hidden(const std::string& what,
                          const std::function<std::vector<float>(float)>& run) {
  const std::vector<float> expected = run(kGarbage[0]);
  for (const float* value = expected.data(); value != expected.data() + expected.size(); ++value) {
    if (!std::isfinite(*value)) FAIL() << what << ": " << *value;
  }
  for (const float garbage : kGarbage) {
    const std::vector<float> found = run(garbage);
    ASSERT_EQ(found.size(), expected.size());
    // An assertion for each of millions of elements would take longer than their computation.
    const float* end = found.data() + found.size();
    const auto [other, right] = std::mismatch(found.data(), end, expected.data());
    if (other == end) continue;
    FAIL() << what << ", " << garbage << " hidden, element " << other - found.data() << ": "
           << *other << " in place of " << *right;
  }
}

}  // namespace tril::testing
