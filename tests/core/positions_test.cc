// Sinusoidal positions against their formula, computed another way.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/layers/positions.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

TEST(SinusoidalPositions, AreThePapers) {
  for (const Index width : {2, 6, 64, 512}) {
    Buffer<float, 2> out({129, width});
    sinusoidal_positions({}, out);
    for (Index t = 0; t < 129; ++t) {
      for (Index i = 0; i < width / 2; ++i) {
        const double angle =
            static_cast<double>(t) /
            std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(width));
        // The double's angle errs by a few of its own roundings, the result by one of float's.
        EXPECT_NEAR(out.view()[t][2 * i], std::sin(angle), 0x1p-25 + 1e-13);
        EXPECT_NEAR(out.view()[t][2 * i + 1], std::cos(angle), 0x1p-25 + 1e-13);
      }
    }
  }
}

TEST(SinusoidalPositions, RepeatAfterTheirWavelengths) {
  Buffer<float, 2> out({33, 6});
  sinusoidal_positions({.wavelength = 4, .ratio = 2}, out);
  // Each of the two errs by a rounding of at most 2^-25 (above), so they differ by at most 2^-24.
  for (Index pair = 0; pair < 3; ++pair) {
    const Index period = Index{4} << pair;
    for (Index t = 0; t + period < 33; ++t) {
      for (Index part = 2 * pair; part < 2 * pair + 2; ++part) {
        EXPECT_NEAR(out.view()[t][part], out.view()[t + period][part], 0x1p-24);
      }
    }
    EXPECT_NEAR(out.view()[period / 4][2 * pair], 1, 0x1p-24);  // a quarter turn
    EXPECT_NEAR(out.view()[period / 2][2 * pair + 1], -1, 0x1p-24);
  }
}

TEST(SinusoidalPositions, RejectsWhatCannotBe) {
  Buffer<float, 2> out({3, 4}), odd({3, 5}), wide({1, 4096});
  std::fill_n(out.data(), 12, -7.0f);
  EXPECT_EQ(
      error_of([&] { sinusoidal_positions({}, odd); }),
      "sinusoidal_positions: out: the last axis must be even, one sine and one cosine a pair; "
      "shape is [3, 5]");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, std::nan(""), infinity}) {
    EXPECT_NE(error_of([&] {
                sinusoidal_positions({.wavelength = bad}, out);
              }).find("sinusoidal_positions: wavelength: must be finite and above 0"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                sinusoidal_positions({.ratio = bad}, out);
              }).find("sinusoidal_positions: ratio: must be finite and above 0"),
              std::string::npos);
  }
  EXPECT_NE(error_of([&] { sinusoidal_positions({.ratio = 0.5}, wide); }).find("out of range"),
            std::string::npos);
  EXPECT_NE(error_of([&] { sinusoidal_positions({.wavelength = 1e-9}, out); }).find("out of range"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { sinusoidal_positions({}, {}); }),
            "sinusoidal_positions: out: no tensor given");
  for (Index i = 0; i < 12; ++i) EXPECT_EQ(out.data()[i], -7.0f);
}

}  // namespace
}  // namespace tril
