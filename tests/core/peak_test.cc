// The peak loop does what it says: every lane of every chain counts its rounds.
#include <gtest/gtest.h>
#include <tril/matmul/peak.h>

#include "core/compare.h"

namespace tril {
namespace {

TEST(Peak, EveryLaneCountsItsRounds) {
  for (const Isa isa : available_isas()) {
    const PeakKernels& kernels = peak_kernels(isa);
    // Two operations a lane and round; sums of ones are exact below 2^24.
    const auto lanes = static_cast<float>(kernels.round_flops) / 2;
    EXPECT_EQ(kernels.multiply_add(1, 1, 1), lanes) << isa_name(isa);
    EXPECT_EQ(kernels.multiply_add(1000, 1, 1), 1000 * lanes) << isa_name(isa);
    // 0, 3, 2 * 3 + 3, 2 * 9 + 3
    EXPECT_EQ(kernels.multiply_add(3, 2, 3), 21 * lanes) << isa_name(isa);
    EXPECT_EQ(run_peak(1000, isa), 2000.0 * static_cast<double>(lanes)) << isa_name(isa);
  }
}

TEST(Peak, RejectsNoRounds) {
  EXPECT_EQ(testing::error_of([] { run_peak(0); }), "run_peak: rounds: must be at least 1, is 0");
}

}  // namespace
}  // namespace tril
