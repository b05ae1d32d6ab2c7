// The slopes of the activations against the complex step through their definitions, for every
// instruction set of this machine. The bounds are those of activation_reference.h, and one rounding
// for the product with d_out.
#include <gtest/gtest.h>
#include <tril/layers/activations.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/elementwise_kernels.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/activation_reference.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::kRounding;
using testing::slope_bound;
using testing::slope_reference;
using testing::uniform;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Case {
  Activation activation;
  ElementwiseBackwardKernels::Map ElementwiseBackwardKernels::*kernel;
};
constexpr Case kCases[] = {
    {Activation::relu, &ElementwiseBackwardKernels::relu},
    {Activation::gelu, &ElementwiseBackwardKernels::gelu},
    {Activation::gelu_tanh, &ElementwiseBackwardKernels::gelu_tanh},
    {Activation::silu, &ElementwiseBackwardKernels::silu},
};
static_assert(std::size(kCases) == std::size(kActivations));

// 0, both signs of magnitudes from 2^-30 to 2^6 in relative steps of 2^-8, and one more to leave
// the last register partly filled.
std::vector<float> arguments() {
  std::vector<float> x = {0.0f};
  for (int exponent = -30; exponent < 6; ++exponent) {
    for (int i = 0; i < 256; ++i) {
      const float a = std::ldexp(1.0f + static_cast<float>(i) / 256, exponent);
      x.push_back(a);
      x.push_back(-a);
    }
  }
  return x;
}

TEST(ActivationsBackward, KernelsStayWithinTheirBounds) {
  const std::vector<float> x = arguments();
  std::vector<float> d_out(x.size()), d_x(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    d_out[i] = static_cast<float>(static_cast<int>(i % 7) - 3) * 0.7f;
  }
  for (const Isa isa : available_isas()) {
    for (const Case& function : kCases) {
      SCOPED_TRACE(std::string(name_of(kActivations, function.activation)) + " " + isa_name(isa));
      (elementwise_backward_kernels(isa).*function.kernel)(d_out.data(), x.data(), d_x.data(),
                                                           static_cast<Index>(x.size()));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double slope = slope_reference(function.activation, x[i]), d = d_out[i];
        // Numbers flushed to zero are below 2^-119, as in the activations themselves.
        const double allowed =
            std::fabs(d) *
            (kRounding * (slope_bound(function.activation, x[i]) + std::fabs(slope)) + 0x1p-119);
        ASSERT_LE(std::fabs(d_x[i] - d * slope), allowed)
            << "x = " << x[i] << ", d_out = " << d << ", slope " << slope << ", d_x " << d_x[i];
      }
    }
  }
}

TEST(ActivationsBackward, TheSlopeIsWhatItMustBeAtTheEnds) {
  const std::vector<float> x = {kNaN, kInfinity, -kInfinity, 3e38f, -3e38f}, d_out(5, 2.0f);
  std::vector<float> d_x(5);
  for (const Isa isa : available_isas()) {
    for (const Case& function : kCases) {
      SCOPED_TRACE(std::string(name_of(kActivations, function.activation)) + " " + isa_name(isa));
      (elementwise_backward_kernels(isa).*function.kernel)(d_out.data(), x.data(), d_x.data(), 5);
      if (function.activation != Activation::relu) {
        EXPECT_TRUE(std::isnan(d_x[0]));
      }
      EXPECT_EQ(d_x[1], 2.0f);
      EXPECT_EQ(d_x[2], 0.0f);
      EXPECT_EQ(d_x[3], 2.0f);
      EXPECT_EQ(d_x[4], 0.0f);
    }
    const float zero = 0, three = 3;
    float d = 7;
    elementwise_backward_kernels(isa).relu(&three, &zero, &d, 1);
    EXPECT_EQ(d, 0.0f);
    elementwise_backward_kernels(isa).relu(&kNaN, &three, &d, 1);
    EXPECT_TRUE(std::isnan(d));
  }
}

TEST(ActivationsBackward, KernelsWriteNothingBeyondTheEndAndMayWriteInPlace) {
  for (const Isa isa : available_isas()) {
    for (const Case& function : kCases) {
      const auto kernel = elementwise_backward_kernels(isa).*function.kernel;
      for (Index count = 0; count <= 140; ++count) {  // two steps of the widest registers
        const auto size = static_cast<std::size_t>(count) + 8;
        std::vector<float> x(size, -7.0f), d_out(size, -7.0f), d_x(size, -7.0f);
        for (std::size_t i = 0; i + 8 < size; ++i) {
          x[i] = 0.1f * static_cast<float>(i) - 2;
          d_out[i] = 0.3f * static_cast<float>(i) - 5;
        }
        kernel(d_out.data(), x.data(), d_x.data(), count);
        std::vector<float> over_x = x;
        kernel(d_out.data(), over_x.data(), over_x.data(), count);
        kernel(d_out.data(), x.data(), d_out.data(), count);
        ASSERT_EQ(d_x, over_x);
        ASSERT_EQ(d_x, d_out);
      }
    }
  }
}

using Function = std::function<void(MatrixView<const float>, MatrixView<const float>,
                                    MatrixView<float>, const Context&)>;
const std::pair<Activation, Function> kFunctions[] = {
    {Activation::relu, relu_backward},
    {Activation::gelu,
     [](auto d_out, auto x, auto d_x, auto& parallel) {
       gelu_backward(d_out, x, GeluForm::exact, d_x, parallel);
     }},
    {Activation::gelu_tanh,
     [](auto d_out, auto x, auto d_x, auto& parallel) {
       gelu_backward(d_out, x, GeluForm::tanh, d_x, parallel);
     }},
    {Activation::silu, silu_backward},
};

TEST(ActivationsBackward, AllAreNamedAndRowsMayHaveGaps) {
  Random random(12);
  const Buffer<float, 2> x = uniform<2>({300, 70}, random), d_out = uniform<2>({300, 70}, random);
  const MatrixView<const float> part(x.data() + 2, {300, 61}, {70, 1});
  const MatrixView<const float> d_part(d_out.data() + 5, {300, 61}, {70, 1});
  Parallel one(1), three(3);
  for (const auto& [activation, function] : kFunctions) {
    Buffer<float, 2> d_x({300, 61}), again({300, 64});
    function(d_part, part, d_x, one);
    const MatrixView<float> wide(again.data(), {300, 61}, {64, 1});
    activate_backward(activation, d_part, part, wide, three);
    EXPECT_TRUE(equal(d_x, wide));
    for (Index n = 0; n < 300; ++n) {
      for (Index c = 61; c < 64; ++c) ASSERT_EQ(again.view()[n][c], 0.0f);
    }
  }
}

TEST(ActivationsBackward, RejectWhatDoesNotFitAndWriteNothing) {
  Buffer<float, 2> x({2, 3}), d_out({2, 3}), d_x({2, 3}), wide({2, 4});
  std::fill_n(d_out.data(), 6, 1.0f);
  std::fill_n(x.data(), 6, 1.0f);
  for (const auto& [activation, function] : kFunctions) {
    const auto& backward = function;  // Clang 14 captures no structured binding.
    std::fill_n(d_x.data(), 6, 7.0f);
    const std::string call = std::string(name_of(kActivations, activation)).substr(0, 4);
    const auto message = [&](MatrixView<const float> d, MatrixView<const float> at,
                             MatrixView<float> to) {
      return error_of([&] { backward(d, at, to, {}); });
    };
    EXPECT_EQ(message(d_out, {}, d_x), call + "_backward: x: no tensor given");
    EXPECT_EQ(message({}, x, d_x), call + "_backward: d_out: no tensor given");
    EXPECT_EQ(message(wide, x, d_x),
              call + "_backward: d_out: shape must be [2, 3], is [2, 4]; the shape of x");
    EXPECT_EQ(message(d_out, x, wide),
              call + "_backward: d_x: shape must be [2, 3], is [2, 4]; the shape of x");
    const MatrixView<float> shifted(d_x.data() + 1, {1, 3}, {4, 1});
    EXPECT_NE(
        message(MatrixView<float>(d_x.data(), {1, 3}), MatrixView<float>(x.data(), {1, 3}), shifted)
            .find("shares memory"),
        std::string::npos);
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(d_x.data()[i], 7);
    function(d_out, x, d_x, {});
    EXPECT_NE(d_x.data()[0], 7);
  }
  EXPECT_EQ(error_of([&] { activate_backward(static_cast<Activation>(9), d_out, x, d_x); }),
            "activate_backward: activation: is none of relu, gelu, gelu_tanh, silu");
}

// A gated activation equals its parts, to the bit, in any layout and with any number of threads.
TEST(GatedActivation, IsAnActivationTimesAnother) {
  Random random(13);
  const Index rows = 300, cols = 601;
  // The two halves of one product.
  const Buffer<float, 2> both = uniform<2>({rows, 2 * cols}, random);
  const MatrixView<const float> gate(both.data(), {rows, cols}, {2 * cols, 1});
  const MatrixView<const float> up(both.data() + cols, {rows, cols}, {2 * cols, 1});
  const Buffer<float, 2> d_out = uniform<2>({rows, cols}, random);
  Parallel one(1), three(3);
  for (const auto& [activation, function] : kFunctions) {
    Buffer<float, 2> out({rows, cols}), expected({rows, cols}), d_both({rows, 2 * cols});
    Buffer<float, 2> d_gate_expected({rows, cols}), d_up_expected({rows, cols});
    activate(activation, gate, expected, one);
    multiply(d_out, expected, d_up_expected, one);
    multiply(expected, up, expected, one);
    multiply(d_out, up, d_gate_expected, one);
    function(d_gate_expected, gate, d_gate_expected, one);

    gated_activation(activation, gate, up, out, three);
    EXPECT_TRUE(equal(expected, out));
    const MatrixView<float> d_gate(d_both.data(), {rows, cols}, {2 * cols, 1});
    const MatrixView<float> d_up(d_both.data() + cols, {rows, cols}, {2 * cols, 1});
    gated_activation_backward(activation, d_out, gate, up, d_gate, d_up, three);
    EXPECT_TRUE(equal(d_gate_expected, d_gate));
    EXPECT_TRUE(equal(d_up_expected, d_up));
    // Gradients may overwrite their own inputs.
    std::copy_n(both.data(), both.view().count(), d_both.data());
    gated_activation_backward(activation, d_out, d_gate, d_up, d_gate, d_up, one);
    EXPECT_TRUE(equal(d_gate_expected, d_gate));
    EXPECT_TRUE(equal(d_up_expected, d_up));
  }
}

TEST(GatedActivation, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> gate({2, 3}), up({2, 3}), out({2, 3}), d_gate({2, 3}), wide({2, 4});
  std::fill_n(out.data(), 6, 7.0f);
  const auto there = [&](MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> to) {
    return error_of([&] { gated_activation(Activation::silu, a, b, to); });
  };
  EXPECT_EQ(there({}, up, out), "gated_activation: gate: no tensor given");
  EXPECT_EQ(there(gate, wide, out),
            "gated_activation: up: shape must be [2, 3], is [2, 4]; the shape of gate");
  EXPECT_EQ(there(gate, up, wide),
            "gated_activation: out: shape must be [2, 3], is [2, 4]; the shape of gate");
  const auto back = [&](MatrixView<const float> d, MatrixView<float> a, MatrixView<float> b) {
    return error_of([&] { gated_activation_backward(Activation::silu, d, gate, up, a, b); });
  };
  EXPECT_EQ(back(wide, d_gate, out),
            "gated_activation_backward: d_out: shape must be [2, 3], is [2, 4]; the shape of gate");
  EXPECT_EQ(back(gate, {}, out), "gated_activation_backward: d_gate: no tensor given");
  EXPECT_NE(back(gate, out, out).find("d_up: shares memory"), std::string::npos);
  EXPECT_NE(back(out, out, d_gate).find("d_gate: shares memory"), std::string::npos);
  // Each gradient may overwrite its own input, but not the other's.
  Buffer<float, 2> of_gate({2, 3}), of_up({2, 3});
  EXPECT_NE(error_of([&] {
              gated_activation_backward(Activation::silu, gate, of_gate, of_up, d_gate, of_gate);
            }).find("d_up: shares memory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              gated_activation(static_cast<Activation>(9), gate, up, out);
            }).find("activation: is none of"),
            std::string::npos);
  EXPECT_EQ(out.data()[0], 7);
  gated_activation(Activation::silu, gate, up, out);
  EXPECT_EQ(out.data()[0], 0);
}

}  // namespace
}  // namespace tril
