// Gradients that PyTorch computed in float64 (tests/golden/make_gradients.py), next to those of
// floats and a reference's bounds for these.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/bounded.h"
#include "core/golden.h"

namespace tril::testing {

// The gradients of one case, read one after another.
class GoldenGradients {
 public:
  explicit GoldenGradients(const std::string& name)
      : name_(name), all_(golden<1>("gradients/" + name)) {}
  ~GoldenGradients() { EXPECT_EQ(next_, all_.shape()[0]) << name_ << ": not all were looked at"; }
  GoldenGradients(const GoldenGradients&) = delete;
  GoldenGradients& operator=(const GoldenGradients&) = delete;

  // The next `count` numbers.
  Values<double> take(std::size_t count) {
    Values<double> values;
    for (std::size_t i = 0; i < count; ++i, ++next_) {
      EXPECT_LT(next_, all_.shape()[0]) << name_;
      values.push_back(next_ < all_.shape()[0] ? static_cast<double>(all_.data()[next_]) : 0);
    }
    return values;
  }

  // Expects two oracles in double to agree up to their own rounding and that of the file, and the
  // floats to be as close to PyTorch's numbers as their reference allows.
  template <typename View>
  void expect(const Values<Bounded>& reference, const View& actual, const char* what) {
    const Values<double> values = elements(actual), expected = take(values.size());
    ASSERT_EQ(reference.size(), values.size()) << name_ << ": " << what;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double stored = kRounding * std::fabs(expected[i]);
      const double double_bound = two_in_double(reference[i].error);
      ASSERT_NEAR(reference[i].value, expected[i], stored + double_bound)
          << name_ << ": " << what << " at " << i;
      ASSERT_NEAR(values[i], expected[i], reference[i].error + stored + double_bound)
          << name_ << ": " << what << " at " << i;
    }
  }

 private:
  std::string name_;
  Buffer<float, 1> all_;
  Index next_ = 0;
};

}  // namespace tril::testing
