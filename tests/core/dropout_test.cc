// Dropout: the share of dropped elements, the same elements dropped in the backward pass, agreement
// of every instruction set, and independence of rows and columns.
#include <gtest/gtest.h>
#include <tril/layers/dropout.h>
#include <tril/layers/dropout_kernels.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

TEST(Dropout, LeavesOutAShareAndScalesTheRest) {
  Parallel parallel(2);
  const Index rows = 500, cols = 201;
  Buffer<float, 2> x({rows, cols}), out({rows, cols});
  std::fill_n(x.data(), rows * cols, 3.0f);
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    dropout(x, {.probability = p, .seed = 5}, out, parallel);
    const auto kept = static_cast<float>(1 / (1 - p)) * 3.0f;
    double left_out = 0;
    for (Index i = 0; i < rows * cols; ++i) {
      if (out.data()[i] == 0) {
        ++left_out;
      } else {
        ASSERT_EQ(out.data()[i], kept);
      }
    }
    // Five standard deviations of a binomial share.
    const double n = static_cast<double>(rows * cols);
    EXPECT_NEAR(left_out / n, p, 5 * std::sqrt(p * (1 - p) / n)) << p;
  }
}

TEST(Dropout, NeighboursRowsAndSeedsAreIndependent) {
  const Index rows = 400, cols = 256;
  Buffer<float, 2> x({rows, cols}), first({rows, cols}), second({rows, cols});
  std::fill_n(x.data(), rows * cols, 1.0f);
  dropout(x, {.probability = 0.5, .seed = 1}, first);
  dropout(x, {.probability = 0.5, .seed = 2}, second);
  const auto agreement = [&](const auto& other) {
    double same = 0, count = 0;
    for (Index n = 0; n + 1 < rows; ++n) {
      for (Index c = 0; c + 1 < cols; ++c, ++count) {
        same += (first.view()[n][c] == 0) == (other(n, c) == 0);
      }
    }
    return (same / count - 0.5) * 2 * std::sqrt(count);  // in standard deviations
  };
  EXPECT_LT(std::fabs(agreement([&](Index n, Index c) { return first.view()[n][c + 1]; })), 5);
  EXPECT_LT(std::fabs(agreement([&](Index n, Index c) { return first.view()[n + 1][c]; })), 5);
  EXPECT_LT(std::fabs(agreement([&](Index n, Index c) { return second.view()[n][c]; })), 5);
}

TEST(Dropout, GoesBackThroughTheSameElementsWhateverTheThreads) {
  Random random(130);
  Parallel one(1), three(3);
  const Buffer<float, 2> x = testing::uniform<2>({300, 77}, random);
  Buffer<float, 2> out({300, 77}), d_x({300, 77});
  dropout(x, {.probability = 0.3, .seed = 9}, out, one);
  dropout_backward(x, {.probability = 0.3, .seed = 9}, d_x, three);
  EXPECT_TRUE(equal(out, d_x));
  std::copy_n(x.data(), x.view().count(), d_x.data());
  dropout(d_x, {.probability = 0.3, .seed = 9}, d_x, three);
  EXPECT_TRUE(equal(out, d_x));
}

TEST(Dropout, EveryInstructionSetGivesTheSameBits) {
  for (Index cols = 0; cols <= 40; ++cols) {
    std::vector<float> x(48, 2.0f), expected(48, 7.0f);
    dropout_kernels(Isa::baseline)
        .row(x.data(), expected.data(), 0, cols, 123, 456, 1u << 31, 2.0f);
    for (const Isa isa : available_isas()) {
      std::vector<float> out(48, 7.0f);
      dropout_kernels(isa).row(x.data(), out.data(), 0, cols, 123, 456, 1u << 31, 2.0f);
      ASSERT_EQ(out, expected) << isa_name(isa) << " " << cols;
    }
  }
}

TEST(Dropout, EveryPlaceAndStepHasASeedOfItsOwn) {
  const DropoutPlaces all{.probability = 0.25, .seed = 7, .first_batch = 3};
  std::vector<std::uint64_t> seeds;
  for (Index place = 0; place < 100; ++place) {
    const DropoutOptions at = all.at(place, 5);
    EXPECT_EQ(at.probability, 0.25);
    EXPECT_EQ(at.first_row, 15);
    EXPECT_EQ(all.after(40).at(place, 5).seed, all.at(40 + place, 5).seed);
    EXPECT_EQ(all.after(40).first_batch, 3);
    seeds.push_back(at.seed);
  }
  for (std::int64_t step = 0; step < 10; ++step) {
    for (std::int64_t part = 0; part < 10; ++part) seeds.push_back(dropout_seed(7, step, part));
  }
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
  EXPECT_EQ(error_of([&] { check_dropout(DropoutPlaces{.probability = -1}, "block"); }),
            "block: dropout.probability: must be at least 0 and below 1, is -1");
  EXPECT_EQ(error_of([&] { check_dropout(DropoutPlaces{.first_batch = -1}, "block"); }),
            "block: dropout.first_batch: must be at least 0, is -1");
}

TEST(Dropout, RejectsAProbabilityOutOfRangeAndWritesNothing) {
  Buffer<float, 2> x({2, 3}), out({2, 3});
  out.data()[0] = 7;
  EXPECT_EQ(error_of([&] { dropout(x, {.probability = 1}, out); }),
            "dropout: probability: must be at least 0 and below 1, is 1");
  EXPECT_NE(error_of([&] {
              dropout_backward(x, {.probability = std::numeric_limits<double>::quiet_NaN()}, out);
            }).find("dropout_backward: probability"),
            std::string::npos);
  EXPECT_EQ(out.data()[0], 7);
  dropout(x, {}, out);
  EXPECT_EQ(out.data()[0], 0);
}

}  // namespace
}  // namespace tril
