// One step of each optimizer against its formula in double, from states that floats hold exactly,
// for every instruction set; clipping; the schedule.
//
// With u = 2^-24, every constant rounded once: the moments carry 4 roundings of their largest term,
// and the move of AdamW, step m / (root_scale sqrt(v) + eps), those of m and v. The terms of m may
// cancel: 4 u (|m| + |g|) in place of |m|, and 10 more in all.
#include <gtest/gtest.h>
#include <tril/training/gradient_norm.h>
#include <tril/training/optimizer_kernels.h>
#include <tril/training/optimizers.h>
#include <tril/training/schedule.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::kRounding;
using testing::uniform;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(AdamW, IsPyTorchsStep) {
  Random random(110);
  Parallel parallel(2);
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{2}, std::int64_t{1000}}) {
    for (const double decay : {0.0, 0.1}) {
      const Index size = 70001;
      Buffer<float, 1> x = uniform<1>({size}, random), m = uniform<1>({size}, random);
      Buffer<float, 1> v = uniform<1>({size}, random), x0({size}), m0({size}), v0({size});
      const Buffer<float, 1> g = uniform<1>({size}, random);
      for (Index i = 0; i < size; ++i) v.data()[i] = std::fabs(v.data()[i]);
      std::copy_n(x.data(), size, x0.data());
      std::copy_n(m.data(), size, m0.data());
      std::copy_n(v.data(), size, v0.data());
      const AdamWOptions o{.learning_rate = 3e-3,
                           .beta1 = 0.9,
                           .beta2 = 0.95,
                           .eps = 1e-8,
                           .weight_decay = decay,
                           .gradient_scale = 0.5};
      adamw_step(x, g, m, v, step, o, parallel);
      const double c1 = 1 - std::pow(o.beta1, static_cast<double>(step));
      const double c2 = 1 - std::pow(o.beta2, static_cast<double>(step));
      for (Index i = 0; i < size; ++i) {
        const double gradient = 0.5 * g.data()[i];
        const double first = o.beta1 * m0.data()[i] + (1 - o.beta1) * gradient;
        const double second = o.beta2 * v0.data()[i] + (1 - o.beta2) * gradient * gradient;
        const double largest = std::fabs(m0.data()[i]) + std::fabs(gradient);
        ASSERT_NEAR(m.data()[i], first, 4 * kRounding * largest);
        ASSERT_NEAR(v.data()[i], second, 4 * kRounding * second);
        const double divisor = std::sqrt(second / c2) + o.eps;
        const double expected =
            x0.data()[i] * (1 - o.learning_rate * decay) - o.learning_rate * first / c1 / divisor;
        const double move = o.learning_rate / c1 * largest / divisor;
        ASSERT_NEAR(x.data()[i], expected,
                    kRounding * (14 * move + 3 * std::fabs(x0.data()[i]) + std::fabs(expected)))
            << i;
      }
    }
  }
}

TEST(AdamW, MovesNothingWhereNothingEverFlowed) {
  Buffer<float, 1> x({3}), g({3}), m({3}), v({3});
  x.data()[1] = 2;
  adamw_step(x, g, m, v, 1, {.eps = 0, .weight_decay = 0});
  EXPECT_EQ(x.data()[0], 0);
  EXPECT_EQ(x.data()[1], 2);
}

TEST(AdamW, KernelsWriteNothingBeyondTheEnd) {
  for (const Isa isa : available_isas()) {
    for (Index count = 0; count <= 40; ++count) {
      std::vector<float> x(60, 1.0f), g(60, 0.5f), m(60, 0.25f), v(60, 0.125f);
      optimizer_kernels(isa).adamw(x.data(), g.data(), m.data(), v.data(), count,
                                   {1, 1, 0.1f, 0.9f, 0.1f, 0.01f, 1, 1e-8f});
      for (std::size_t i = 0; i < 60; ++i) {
        ASSERT_EQ(x[i] == 1.0f, i >= static_cast<std::size_t>(count)) << isa_name(isa) << " " << i;
        ASSERT_EQ(v[i] == 0.125f, i >= static_cast<std::size_t>(count));
      }
    }
  }
}

TEST(AdamW, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 1> x({3}), g({3}), m({3}), v({3}), four({4});
  std::fill_n(g.data(), 3, 1.0f);
  const auto message = [&](const AdamWOptions& options, std::int64_t step = 1) {
    return error_of([&] { adamw_step(x, g, m, v, step, options); });
  };
  EXPECT_EQ(error_of([&] { adamw_step(x, four, m, v, 1, {}); }),
            "adamw_step: gradient: shape must be [3], is [4]; values is [3]");
  EXPECT_NE(error_of([&] { adamw_step(x, g, x, v, 1, {}); }).find("shares memory"),
            std::string::npos);
  EXPECT_EQ(message({}, 0), "adamw_step: step: must be at least 1, is 0");
  EXPECT_EQ(message({.learning_rate = 0}),
            "adamw_step: learning_rate: must be finite and above 0, is 0");
  EXPECT_EQ(message({.learning_rate = -1}),
            "adamw_step: learning_rate: must be finite and above 0, is -1");
  EXPECT_EQ(message({.beta1 = 1}), "adamw_step: beta1: must be at least 0 and below 1, is 1");
  EXPECT_EQ(message({.beta2 = kNaN}), "adamw_step: beta2: must be at least 0 and below 1, is nan");
  EXPECT_EQ(message({.eps = -1}), "adamw_step: eps: must be finite and at least 0, is -1");
  EXPECT_EQ(message({.weight_decay = kNaN}),
            "adamw_step: weight_decay: must be finite and at least 0, is nan");
  for (const Buffer<float, 1>* each : {&x, &m, &v}) EXPECT_EQ(testing::max_abs(each->view()), 0);
  adamw_step(x, g, m, v, 1, {});
  EXPECT_LT(x.data()[0], 0);
}

TEST(Sgd, IsPyTorchsStep) {
  Random random(111);
  Parallel parallel(2);
  const Index size = 20011;
  Buffer<float, 1> x = uniform<1>({size}, random), m = uniform<1>({size}, random);
  Buffer<float, 1> plain({size}), x0({size}), m0({size});
  const Buffer<float, 1> g = uniform<1>({size}, random);
  std::copy_n(x.data(), size, x0.data());
  std::copy_n(x.data(), size, plain.data());
  std::copy_n(m.data(), size, m0.data());
  const SgdOptions o{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01};
  sgd_step(x, g, m, o, parallel);
  sgd_step(plain, g, {}, {.learning_rate = 0.1}, parallel);
  for (Index i = 0; i < size; ++i) {
    const double gradient = g.data()[i] + o.weight_decay * x0.data()[i];
    const double first = o.momentum * m0.data()[i] + gradient;
    const double largest = 3;  // |m| + |g| + |x|
    ASSERT_NEAR(m.data()[i], first, 4 * kRounding * largest);
    ASSERT_NEAR(x.data()[i], x0.data()[i] - o.learning_rate * first, 4 * kRounding * largest);
    ASSERT_NEAR(plain.data()[i], x0.data()[i] - o.learning_rate * g.data()[i],
                3 * kRounding * largest);
  }
  EXPECT_EQ(error_of([&] { sgd_step(x, g, {}, {.momentum = 0.5}, parallel); }),
            "sgd_step: momentum: no tensor given");
}

TEST(GradientNorm, IsTheNormWhateverTheThreads) {
  Random random(112);
  Scratch scratch;
  Parallel one(1), three(3);
  const Buffer<float, 1> g = uniform<1>({200003}, random);
  double squares = 0;
  for (Index i = 0; i < 200003; ++i) {
    squares += static_cast<double>(g.data()[i]) * static_cast<double>(g.data()[i]);
  }
  const double norm = gradient_norm(g, {scratch, one});
  // A block of 1024 squares in at least four partial sums.
  EXPECT_NEAR(norm / std::sqrt(squares), 1, (256 + 8) * kRounding);
  EXPECT_EQ(gradient_norm(g, {scratch, three}), norm);
}

TEST(GradientNorm, IsRightWhereSquaresLeaveTheRangeOfFloat) {
  Random random(113);
  Scratch scratch;
  Parallel parallel(2);
  for (const float size : {0.0f, 1e-44f, 1e-30f, 1e-20f, 1e19f, 3e38f}) {
    Buffer<float, 1> g = uniform<1>({5000}, random);
    double squares = 0;
    for (Index i = 0; i < 5000; ++i) {
      g.data()[i] *= i < 2048 ? 0.0f : size;
      squares += static_cast<double>(g.data()[i]) * static_cast<double>(g.data()[i]);
    }
    const double norm = std::sqrt(squares);
    EXPECT_NEAR(gradient_norm(g, {scratch, parallel}), norm, (256 + 8) * kRounding * norm) << size;
  }
}

TEST(ClipScale, IsPyTorchs) {
  EXPECT_EQ(clip_scale(0.5, 1), 1);
  EXPECT_EQ(clip_scale(0, 1), 1);
  EXPECT_DOUBLE_EQ(clip_scale(4, 1), 1 / (4 + 1e-6));
  EXPECT_EQ(error_of([] { clip_scale(1, 0); }),
            "clip_scale: largest: must be finite and above 0, is 0");
  EXPECT_EQ(error_of([] { clip_scale(kNaN, 1); }),
            "clip_scale: norm: must be finite and at least 0, is nan");
}

TEST(Schedule, RisesThenFallsAsACosine) {
  const Schedule schedule{.learning_rate = 1e-3, .lowest = 1e-4, .warmup = 100, .steps = 2000};
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 0), 1e-3 / 101);
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 99), 1e-3 * 100 / 101);
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 100), 1e-3);
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 1050), 5.5e-4);  // halfway
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 2000), 1e-4);
  EXPECT_DOUBLE_EQ(scheduled_rate(schedule, 1 << 30), 1e-4);
  EXPECT_DOUBLE_EQ(scheduled_rate({.learning_rate = 0.5}, 12345), 0.5);
}

TEST(Schedule, RejectsWhatIsOutOfRange) {
  EXPECT_EQ(error_of([] { scheduled_rate({.learning_rate = 0}, 0); }),
            "scheduled_rate: learning_rate: must be finite and above 0, is 0");
  EXPECT_EQ(error_of([] { scheduled_rate({.lowest = 1}, 0); }),
            "scheduled_rate: lowest: must be from 0 to the learning rate 0.001, is 1");
  EXPECT_EQ(error_of([] { scheduled_rate({.warmup = 10, .steps = 5}, 0); }),
            "scheduled_rate: steps: must be 0 or at least the 10 steps of warm-up, is 5");
  EXPECT_EQ(error_of([] { scheduled_rate({}, -1); }),
            "scheduled_rate: step: must be at least 0, is -1");
}

}  // namespace
}  // namespace tril
