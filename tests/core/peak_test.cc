// The peak loop really computes: every sum grows every round.
#include <gtest/gtest.h>
#include <tril/lessons/peak.h>

#include "core/compare.h"

namespace tril {
namespace {

TEST(Peak, EverySumGrowsEveryRound) {
  for (const Isa isa : available_isas()) {
    const PeakKernels& kernels = peak_kernels(isa);
    // Two operations per lane and round; every lane adds x.
    const auto lanes = static_cast<float>(kernels.round_flops) / 2;
    EXPECT_EQ(kernels.multiply_add(1, 1), lanes) << isa_name(isa);
    EXPECT_EQ(kernels.multiply_add(1000, 1), 1000 * lanes) << isa_name(isa);
    EXPECT_EQ(kernels.multiply_add(37, -3), -3 * 37 * lanes) << isa_name(isa);
    EXPECT_EQ(run_peak(1000, isa), 2000.0 * static_cast<double>(lanes)) << isa_name(isa);
  }
}

TEST(Peak, RejectsNoRounds) {
  EXPECT_EQ(testing::error_of([] { run_peak(0); }), "run_peak: rounds: must be at least 1, is 0");
}

}  // namespace
}  // namespace tril
