// Compares tensors element by element within atol + rtol * |expected|; a failure names the
// position.
#pragma once

#include <gtest/gtest.h>
#include <tril/foundation/error.h>
#include <tril/foundation/tensor.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace tril::testing {

inline constexpr double kEpsilon = std::numeric_limits<float>::epsilon();  // 2^-23

// 0 within the tolerance (also for equal infinities, and for NaN and NaN), else the distance beyond
// it.
inline double excess(double expected, double actual, double atol, double rtol) {
  if (std::isnan(expected) || std::isnan(actual)) {
    return std::isnan(expected) == std::isnan(actual) ? 0 : HUGE_VAL;
  }
  if (expected == actual) return 0;
  if (std::isinf(expected) || std::isinf(actual)) return HUGE_VAL;
  const double difference = std::fabs(expected - actual),
               allowed = atol + rtol * std::fabs(expected);
  return difference <= allowed ? 0 : difference - allowed;
}

template <int Rank>
struct Worst {
  Shape<Rank> index{};
  double expected = 0, actual = 0, excess = 0;
  Index count = 0;
};

template <typename E, typename A, int Rank, int Part>
void find_worst(const TensorView<E, Part>& expected, const TensorView<A, Part>& actual, double atol,
                double rtol, Shape<Rank>& index, Worst<Rank>& worst) {
  for (Index i = 0; i < expected.size(0); ++i) {
    index[Rank - Part] = i;
    if constexpr (Part > 1) {
      find_worst<E, A, Rank, Part - 1>(expected[i], actual[i], atol, rtol, index, worst);
    } else {
      const double beyond = excess(expected[i], actual[i], atol, rtol);
      if (beyond == 0) continue;
      ++worst.count;
      if (beyond > worst.excess) worst = {index, expected[i], actual[i], beyond, worst.count};
    }
  }
}

// EXPECT_TRUE(close(expected, actual, atol, rtol)): both are views or buffers of the same rank.
template <typename E, typename A, int Rank>
::testing::AssertionResult close_views(const TensorView<E, Rank>& expected,
                                       const TensorView<A, Rank>& actual, double atol,
                                       double rtol) {
  if (expected.shape() != actual.shape()) {
    return ::testing::AssertionFailure()
           << "shape " << shape_text(actual) << ", expected " << shape_text(expected);
  }
  Shape<Rank> index{};
  Worst<Rank> worst;
  find_worst<E, A, Rank, Rank>(expected, actual, atol, rtol, index, worst);
  if (worst.count == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << worst.count << " of " << expected.count() << " elements of " << shape_text(expected)
         << " beyond atol " << atol << " + rtol " << rtol << "; worst at "
         << shape_text<Rank>(worst.index) << ": expected " << worst.expected << ", actual "
         << worst.actual;
}

template <typename Expected, typename Actual>
::testing::AssertionResult close(const Expected& expected, const Actual& actual, double atol,
                                 double rtol = 0) {
  const auto view = [](const auto& tensor) {
    if constexpr (requires { tensor.view(); }) {
      return tensor.view();
    } else {
      return tensor;
    }
  };
  return close_views(view(expected), view(actual), atol, rtol);
}

// Expects equal elements, or NaN in both.
template <typename Expected, typename Actual>
::testing::AssertionResult equal(const Expected& expected, const Actual& actual) {
  return close(expected, actual, 0, 0);
}

// The largest distance of a sum of `terms` weights from 1, each e / sum in float. The sum is
// rounded terms - 1 times, each quotient once, by at most half of kEpsilon.
inline double sum_bound(Index terms) { return kEpsilon * static_cast<double>(terms) / 2; }

// The largest |element|, for error bounds.
template <typename T, int Rank>
double max_abs(const TensorView<T, Rank>& view) {
  double largest = 0;
  for (Index i = 0; i < view.size(0); ++i) {
    if constexpr (Rank == 1) {
      largest = std::fmax(largest, std::fabs(static_cast<double>(view[i])));
    } else {
      largest = std::fmax(largest, max_abs(view[i]));
    }
  }
  return largest;
}

// Runs `call` and returns the message of the tril::Error that it throws; fails the test if it
// throws none.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no tril::Error was thrown";
  return "";
}

}  // namespace tril::testing
