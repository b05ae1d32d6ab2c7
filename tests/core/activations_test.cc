// The activations against their definitions in double, for every instruction set of this machine.
#include <gtest/gtest.h>
#include <tril/layers/activations.h>
#include <tril/layers/elementwise_kernels.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/activation_reference.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::error_of;
using testing::kRounding;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Case {
  ElementwiseKernels::Map ElementwiseKernels::*kernel;
  Activation activation;
};
constexpr Case kCases[] = {
    {&ElementwiseKernels::silu, Activation::silu},
    {&ElementwiseKernels::gelu_tanh, Activation::gelu_tanh},
    {&ElementwiseKernels::gelu, Activation::gelu},
};

// 0, both signs of magnitudes from 2^-30 to 2^6 in relative steps of 2^-10: 73728 numbers, and one
// more to leave the last register partly filled.
std::vector<float> arguments() {
  std::vector<float> x = {0.0f};
  for (int exponent = -30; exponent < 6; ++exponent) {
    for (int i = 0; i < 1024; ++i) {
      const float a = std::ldexp(1.0f + static_cast<float>(i) / 1024, exponent);
      x.push_back(a);
      x.push_back(-a);
    }
  }
  return x;
}

std::string text(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

TEST(Activations, KernelsStayWithinTheirBounds) {
  const std::vector<float> x = arguments();
  std::vector<float> y(x.size());
  for (const Isa isa : available_isas()) {
    for (const Case& function : kCases) {
      SCOPED_TRACE(std::string(name_of(kActivations, function.activation)) + " " + isa_name(isa));
      (elementwise_kernels(isa).*function.kernel)(x.data(), y.data(), static_cast<Index>(x.size()));
      double worst = 0, worst_absolute = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact =
            testing::activation_reference(function.activation, static_cast<double>(x[i]));
        const double error = std::fabs(y[i] - exact);
        // Numbers flushed to zero, or rounded as denormals, are below 2^-119 = 128 * 2^-126.
        const double allowed =
            kRounding * testing::activation_bound(function.activation, x[i]) + 0x1p-119;
        ASSERT_LE(error, allowed) << "x = " << x[i] << ", exact " << exact << ", actual " << y[i];
        worst = std::max(worst, error / allowed);
        if (std::fabs(x[i]) <= 8) worst_absolute = std::max(worst_absolute, error);
      }
      const std::string property =
          std::string(name_of(kActivations, function.activation)) + "_" + isa_name(isa);
      RecordProperty(property + "_of_bound", text(worst));
      RecordProperty(property + "_worst_up_to_8", text(worst_absolute));
    }
  }
}

// Results may not depend on how threads divide the elements.
TEST(Activations, ANumberGivesTheSameBitsWhereverItStands) {
  const std::vector<float> x = arguments();
  std::vector<float> whole(x.size()), part(x.size());
  const std::size_t sizes[] = {1, 5, 16, 33};
  for (const Isa isa : available_isas()) {
    for (const Case& function : kCases) {
      SCOPED_TRACE(std::string(name_of(kActivations, function.activation)) + " " + isa_name(isa));
      const auto kernel = elementwise_kernels(isa).*function.kernel;
      kernel(x.data(), whole.data(), static_cast<Index>(x.size()));
      for (const std::size_t size : sizes) {
        for (std::size_t i = 0; i < x.size(); i += size) {
          const std::size_t count = std::min(size, x.size() - i);
          kernel(x.data() + i, part.data() + i, static_cast<Index>(count));
        }
        EXPECT_EQ(part, whole) << size << " at a time";
      }
    }
  }
}

TEST(Activations, NothingAndInfinityGoWhereTheyMust) {
  const std::vector<float> x = {kNaN, kInfinity, -kInfinity, 0.0f, 3e38f, -3e38f, 1e-45f, -1e-45f};
  std::vector<float> y(x.size());
  for (const Isa isa : available_isas()) {
    const ElementwiseKernels& kernels = elementwise_kernels(isa);
    for (const auto kernel : {kernels.relu, kernels.gelu, kernels.gelu_tanh, kernels.silu}) {
      SCOPED_TRACE(isa_name(isa));
      kernel(x.data(), y.data(), static_cast<Index>(x.size()));
      EXPECT_TRUE(std::isnan(y[0]));
      EXPECT_EQ(y[1], kInfinity);
      EXPECT_EQ(y[2], 0.0f);
      EXPECT_EQ(y[3], 0.0f);
      EXPECT_EQ(y[4], 3e38f);
      EXPECT_EQ(y[5], 0.0f);
      EXPECT_NEAR(y[6], 0, 2e-45);
      EXPECT_NEAR(y[7], 0, 2e-45);
    }
  }
}

TEST(Activations, KernelsWriteNothingBeyondTheEndAndMayWriteInPlace) {
  for (const Isa isa : available_isas()) {
    const ElementwiseKernels& kernels = elementwise_kernels(isa);
    for (const auto kernel : {kernels.relu, kernels.gelu, kernels.gelu_tanh, kernels.silu}) {
      for (Index count = 0; count <= 40; ++count) {
        std::vector<float> x(static_cast<std::size_t>(count) + 8, -7.0f), y = x;
        for (Index i = 0; i < count; ++i)
          x[static_cast<std::size_t>(i)] = 0.1f * static_cast<float>(i) - 2;
        kernel(x.data(), y.data(), count);
        kernel(x.data(), x.data(), count);
        ASSERT_EQ(x, y);
        for (std::size_t i = static_cast<std::size_t>(count); i < y.size(); ++i)
          ASSERT_EQ(y[i], -7.0f);
      }
    }
  }
}

using Function = std::function<void(MatrixView<const float>, MatrixView<float>, const Context&)>;

struct Named {
  const char* name;
  Activation activation;
  Function function;
};
const Named kFunctions[] = {
    {"relu", Activation::relu, relu},
    {"gelu", Activation::gelu,
     [](auto x, auto out, auto& parallel) { gelu(x, GeluForm::exact, out, parallel); }},
    {"gelu_tanh", Activation::gelu_tanh,
     [](auto x, auto out, auto& parallel) { gelu(x, GeluForm::tanh, out, parallel); }},
    {"silu", Activation::silu, silu},
};

TEST(Activations, AgreeWithPyTorch) {
  Random random(11);
  Buffer<float, 2> x = testing::uniform<2>({7, 33}, random), out({7, 33});
  for (Index i = 0; i < x.view().count(); ++i) x.data()[i] *= 8;
  for (const Named& named : kFunctions) {
    SCOPED_TRACE(named.name);
    named.function(x, out, {});
    // Twice kRounding of the exact value, for the function and for the file, and the function's
    // bound, at most 3.
    EXPECT_TRUE(testing::close(testing::golden<2>(std::string("layers/") + named.name), out,
                               3 * kRounding, 2 * kRounding));
  }
}

TEST(Activations, ActivateNamesThemAllAndRowsMayHaveGaps) {
  Random random(12);
  const Buffer<float, 2> x = testing::uniform<2>({300, 70}, random);
  const MatrixView<const float> part(x.data() + 2, {300, 61}, {70, 1});
  for (const Named& named : kFunctions) {
    Parallel one(1), two(2);
    Buffer<float, 2> out({300, 61}), again({300, 64});
    named.function(part, out, one);
    activate(named.activation, part, MatrixView<float>(again.data(), {300, 61}, {64, 1}), two);
    EXPECT_TRUE(testing::equal(out, MatrixView<float>(again.data(), {300, 61}, {64, 1})));
    for (Index n = 0; n < 300; ++n) {
      for (Index c = 61; c < 64; ++c) ASSERT_EQ(again.view()[n][c], 0.0f);
    }
  }
}

TEST(Activations, RejectWhatDoesNotFit) {
  Buffer<float, 2> x({2, 3}), wide({2, 4});
  for (const Named& named : kFunctions) {
    const std::string call = std::string(named.name).substr(0, 4);
    EXPECT_EQ(error_of([&] { named.function({}, wide, {}); }), call + ": x: no tensor given");
    EXPECT_EQ(error_of([&] { named.function(x, wide, {}); }),
              call + ": out: shape must be [2, 3], is [2, 4]; the shape of x");
    const MatrixView<float> shifted(x.data() + 1, {1, 3}, {4, 1});
    EXPECT_NE(error_of([&] {
                named.function(MatrixView<float>(x.data(), {1, 3}), shifted, {});
              }).find("shares memory"),
              std::string::npos);
    EXPECT_NO_THROW(named.function(x, x, {}));
  }
  EXPECT_EQ(error_of([&] { activate(static_cast<Activation>(9), x, x); }),
            "activate: activation: is none of relu, gelu, gelu_tanh, silu");
}

}  // namespace
}  // namespace tril
