// Layer normalisation and RMS normalisation against double, within bounds that follow the kernels.
//
// With u = 2^-24 and k = C / 16 + 6 roundings for a sum of C terms (norm_kernels.cc), deviations d
// and z = d / sqrt(v + eps):
//   d            rounded once, u |z|; or, if the mean is at most half a deviation, not at all, but
//                then x is multiplied: u / 2 more
//   1/sqrt       half the relative error of the variance, (k + 3) u / 2: (k/2 + 2) u |z|
//   z            a product, a sum, and the offset of up to 1/2: 2u |z| + u / 2
//   rest         off by k u times the mean of |d|, which is at most sqrt(v): k u
//   z * w + b    two roundings: u (|z w| + |y|)
// so |error| <= u ((k/2 + 6) |z w| + (k + 1) |w| + |y|), for any mean. RMS norm has the same
// bound without the mean.
#include <gtest/gtest.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/norm_kernels.h>
#include <tril/layers/rms_norm.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;
using testing::uniform;

constexpr double kU = 0x1p-24;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
const Index kWidths[] = {1,  2,  3,  4,  5,  7,  8,  15,  16,  17,  31,  33,
                         63, 64, 65, 71, 95, 96, 97, 127, 128, 129, 768, 5000};

struct Oracle {
  double mean = 0, inverse = 0;
};

Oracle oracle(const float* x, Index cols, double eps, bool centred) {
  Oracle moments;
  if (centred) {
    for (Index c = 0; c < cols; ++c) moments.mean += x[c];
    moments.mean /= static_cast<double>(cols);
  }
  double square = 0;
  for (Index c = 0; c < cols; ++c) square += (x[c] - moments.mean) * (x[c] - moments.mean);
  moments.inverse = 1 / std::sqrt(square / static_cast<double>(cols) + eps);
  return moments;
}

// The largest ratio of an error of `out` to its bound.
double worst_of_bound(const float* x, const float* weight, const float* bias, const float* out,
                      Index cols, double eps, bool centred) {
  const Oracle moments = oracle(x, cols, eps, centred);
  const double k = static_cast<double>(cols) / 16 + 6;
  double worst = 0;
  for (Index c = 0; c < cols; ++c) {
    const double w = weight ? weight[c] : 1, b = bias ? bias[c] : 0;
    const double z = (x[c] - moments.mean) * moments.inverse, y = z * w + b;
    const double bound =
        kU * ((k / 2 + 6) * std::fabs(z * w) + (k + 1) * std::fabs(w) + std::fabs(y));
    worst = std::max(worst, std::fabs(out[c] - y) / (bound + 1e-300));
  }
  return worst;
}

std::string text(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

TEST(Norms, KernelsStayWithinTheirBounds) {
  Random random(21);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    double worst_layer = 0, worst_rms = 0;
    for (const Index cols : kWidths) {
      const Buffer<float, 1> weight = uniform<1>({cols}, random), bias = uniform<1>({cols}, random);
      for (const float offset : {0.0f, 1.0f, -1000.0f, 65536.0f}) {
        Buffer<float, 1> x = uniform<1>({cols}, random), out({cols + 8});
        for (Index c = 0; c < cols; ++c) x.data()[c] += offset;
        for (const bool scaled : {false, true}) {
          const float* const w = scaled ? weight.data() : nullptr;
          const float* const b = scaled ? bias.data() : nullptr;
          SCOPED_TRACE("width " + std::to_string(cols) + ", offset " + std::to_string(offset));
          norm_kernels(isa).layer_norm(x.data(), w, b, 1e-5, out.data(), cols);
          const double layer = worst_of_bound(x.data(), w, b, out.data(), cols, 1e-5, true);
          norm_kernels(isa).rms_norm(x.data(), w, 1e-5, out.data(), cols);
          const double rms = worst_of_bound(x.data(), w, nullptr, out.data(), cols, 1e-5, false);
          EXPECT_LE(layer, 1);
          EXPECT_LE(rms, 1);
          for (Index c = cols; c < cols + 8; ++c) ASSERT_EQ(out.data()[c], 0) << "beyond the end";
          worst_layer = std::max(worst_layer, layer);
          worst_rms = std::max(worst_rms, rms);
        }
      }
    }
    RecordProperty(std::string("layer_norm_of_bound_") + isa_name(isa), text(worst_layer));
    RecordProperty(std::string("rms_norm_of_bound_") + isa_name(isa), text(worst_rms));
  }
}

// Squares beyond the range of float, and below it without an eps to cover them. `u` more: the
// inverse deviation for backward passes may be below 2^-126, and has 21 bits then.
TEST(Norms, KernelsStayWithinTheirBoundsWhereSquaresDoNot) {
  Random random(25);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    for (const Index cols : {Index{2}, Index{5}, Index{16}, Index{63}, Index{769}}) {
      const Buffer<float, 1> weight = uniform<1>({cols}, random), bias = uniform<1>({cols}, random);
      const Buffer<float, 1> drawn = uniform<1>({cols}, random);
      for (const float size : {1e19f, 1e20f, 1e30f, 3.4e38f, 1e-10f, 1e-19f, 1e-25f, 1e-33f}) {
        for (const double eps : {0.0, 1e-38, 1e-5}) {
          SCOPED_TRACE(std::to_string(cols) + " of size " + text(size) + ", eps " + text(eps));
          Buffer<float, 1> x({cols}), out({cols + 8});
          for (Index c = 0; c < cols; ++c) x.data()[c] = drawn.data()[c] * size;
          const NormKernels::Moments moments = norm_kernels(isa).layer_norm(
              x.data(), weight.data(), bias.data(), eps, out.data(), cols);
          EXPECT_LE(
              worst_of_bound(x.data(), weight.data(), bias.data(), out.data(), cols, eps, true), 1);
          const Oracle expected = oracle(x.data(), cols, eps, true);
          const double k = static_cast<double>(cols) / 16 + 6;
          EXPECT_NEAR(moments.rstd / expected.inverse, 1, (k + 5) * kU + 0x1p-21);
          EXPECT_NEAR(moments.mean, expected.mean,
                      kU * (std::fabs(expected.mean) + (k + 1) / expected.inverse) + 0x1p-149);
          const float rms =
              norm_kernels(isa).rms_norm(x.data(), weight.data(), eps, out.data(), cols);
          EXPECT_LE(worst_of_bound(x.data(), weight.data(), nullptr, out.data(), cols, eps, false),
                    1);
          EXPECT_NEAR(rms / oracle(x.data(), cols, eps, false).inverse, 1, (k + 5) * kU + 0x1p-21);
          for (Index c = cols; c < cols + 8; ++c) ASSERT_EQ(out.data()[c], 0) << "beyond the end";
        }
      }
    }
  }
}

TEST(LayerNorm, AgreesWithPyTorch) {
  Random random(22);
  for (const Index cols : {Index{1}, Index{3}, Index{64}, Index{129}}) {
    for (const bool scaled : {false, true}) {
      const Buffer<float, 2> x = uniform<2>({5, cols}, random);
      const Buffer<float, 1> weight = uniform<1>({cols}, random), bias = uniform<1>({cols}, random);
      const std::string name = std::to_string(cols) + (scaled ? "_scaled" : "");
      SCOPED_TRACE(name);
      Buffer<float, 2> out({5, cols});
      layer_norm(x, scaled ? weight : VectorView<const float>(),
                 scaled ? bias : VectorView<const float>(), {.eps = scaled ? 1e-3 : 1e-5}, out);
      EXPECT_TRUE(
          close(golden<2>("layers/layer_norm_" + name), out, kPyTorchAbsolute, kPyTorchRelative));
      rms_norm(x, scaled ? weight : VectorView<const float>(), {.eps = scaled ? 1e-3 : 1e-5}, out);
      EXPECT_TRUE(
          close(golden<2>("layers/rms_norm_" + name), out, kPyTorchAbsolute, kPyTorchRelative));
    }
  }
}

TEST(LayerNorm, TracesMeanAndInverseDeviation) {
  Random random(23);
  Parallel parallel(2);
  const Buffer<float, 2> x = uniform<2>({1000, 33}, random);
  Buffer<float, 2> out({1000, 33});
  Buffer<float, 1> mean({1000}), inverse({1000});
  layer_norm(x, {}, {}, {}, out, parallel, {mean, inverse});
  for (Index n = 0; n < 1000; ++n) {
    const Oracle moments = oracle(x.view()[n].data(), 33, 1e-5, true);
    ASSERT_NEAR(mean.view()[n], moments.mean, 4 * kU) << n;
    ASSERT_NEAR(inverse.view()[n] / moments.inverse, 1, 8 * kU) << n;
  }
}

TEST(LayerNorm, OnlyWeightOrOnlyBias) {
  Random random(24);
  const Buffer<float, 2> x = uniform<2>({3, 21}, random);
  const Buffer<float, 1> vector = uniform<1>({21}, random);
  Buffer<float, 2> plain({3, 21}), weighted({3, 21}), biased({3, 21});
  layer_norm(x, {}, {}, {}, plain);
  layer_norm(x, vector, {}, {}, weighted);
  layer_norm(x, {}, vector, {}, biased);
  for (Index n = 0; n < 3; ++n) {
    for (Index c = 0; c < 21; ++c) {
      EXPECT_EQ(weighted.view()[n][c], plain.view()[n][c] * vector.view()[c]);
      const double normal = plain.view()[n][c], sum = normal + vector.view()[c];
      EXPECT_NEAR(biased.view()[n][c], sum, kU * (std::fabs(normal) + std::fabs(sum)));
    }
  }
}

TEST(LayerNorm, AConstantRowBecomesTheBias) {
  for (const float value : {0.0f, 1.0f, 0.1f, -3e4f, 1e-40f}) {
    for (const Index cols : kWidths) {
      Buffer<float, 2> x({1, cols}), out({1, cols});
      Buffer<float, 1> bias({cols});
      for (Index c = 0; c < cols; ++c) x.data()[c] = value, bias.data()[c] = static_cast<float>(c);
      layer_norm(x, {}, bias, {}, out);
      // The sum of equal numbers errs by k roundings, which `rest` removes up to k roundings of
      // itself; 1 / sqrt(1e-5) = 317 multiplies the remainder.
      const double k = static_cast<double>(cols) / 16 + 6;
      for (Index c = 0; c < cols; ++c) {
        const auto expected = static_cast<double>(c);
        ASSERT_NEAR(out.data()[c], expected,
                    317 * k * k * kU * kU * std::fabs(value) + kU * (1 + expected));
      }
    }
  }
}

using Norm = void (*)(MatrixView<const float> x, MatrixView<float> out, const Context& context);
struct Named {
  const char* name;
  Norm norm;
};
constexpr Named kNorms[] = {
    {"layer_norm", [](MatrixView<const float> x, MatrixView<float> out,
                      const Context& context) { layer_norm(x, {}, {}, {}, out, context); }},
    {"rms_norm", [](MatrixView<const float> x, MatrixView<float> out,
                    const Context& context) { rms_norm(x, {}, {}, out, context); }},
};

TEST(Norms, RowsAreIndependentOfEachOtherOfGapsAndOfThreads) {
  for (const auto& [name, norm] : kNorms) {
    SCOPED_TRACE(name);
    Random random(25);
    Parallel one(1), three(3);
    const Buffer<float, 2> x = uniform<2>({700, 90}, random);
    const MatrixView<const float> part(x.data() + 1, {700, 77}, {90, 1});
    Buffer<float, 2> out({700, 77}), again({700, 80});
    const MatrixView<float> gaps(again.data(), {700, 77}, {80, 1});
    norm(part, out, one);
    norm(part, gaps, three);
    EXPECT_TRUE(equal(out, gaps));
    for (Index n = 0; n < 700; ++n) ASSERT_EQ(again.view()[n][77], 0.0f);
    Buffer<float, 2> row({1, 77});
    norm(MatrixView<const float>(part[345].data(), {1, 77}), row, one);
    EXPECT_TRUE(equal(out.view()[345], row.view()[0]));
    const MatrixView<float> in_place(const_cast<float*>(part.data()), part.shape(), part.strides());
    norm(in_place, in_place, three);
    EXPECT_TRUE(equal(out, in_place));
  }
}

TEST(Norms, NaNAndInfinityStayInTheirRow) {
  for (const auto& [name, norm] : kNorms) {
    SCOPED_TRACE(name);
    Random random(26);
    Buffer<float, 2> x = uniform<2>({5, 20}, random), clean({5, 20}), out({5, 20});
    norm(x, clean, {});
    x.view()[1][3] = kNaN;
    x.view()[3][19] = kInfinity;
    norm(x, out, {});
    for (const Index n : {Index{0}, Index{2}, Index{4}})
      EXPECT_TRUE(equal(clean.view()[n], out.view()[n]));
    for (Index c = 0; c < 20; ++c) EXPECT_TRUE(std::isnan(out.view()[1][c]));
    EXPECT_TRUE(std::isnan(out.view()[3][19]));
  }
}

TEST(Norms, EpsIsWhatKeepsZerosFinite) {
  for (const auto& [name, norm] : kNorms) {
    SCOPED_TRACE(name);
    Buffer<float, 2> x({2, 9}), out({2, 9});
    out.data()[0] = 1;
    norm(x, out, {});
    EXPECT_TRUE(equal(x, out));
  }
}

TEST(LayerNorm, RejectsWhatDoesNotFitAndWritesNothing) {
  Parallel parallel;
  Buffer<float, 2> x({2, 3}), out({2, 3}), wide({2, 4});
  Buffer<float, 1> three({3}), four({4});
  out.data()[0] = 7;
  EXPECT_EQ(error_of([&] { layer_norm({}, {}, {}, {}, out, parallel); }),
            "layer_norm: x: no tensor given");
  EXPECT_EQ(error_of([&] { layer_norm(x, four, {}, {}, out, parallel); }),
            "layer_norm: weight: shape must be [3], is [4]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { layer_norm(x, {}, four, {}, out, parallel); }),
            "layer_norm: bias: shape must be [3], is [4]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { layer_norm(x, {}, {}, {}, wide, parallel); }),
            "layer_norm: out: shape must be [2, 3], is [2, 4]; the shape of x");
  EXPECT_EQ(error_of([&] { layer_norm(x, {}, {}, {}, out, parallel, {.mean = three}); }),
            "layer_norm: mean: shape must be [2], is [3]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { layer_norm(x, {}, {}, {}, out, parallel, {.rstd = three}); }),
            "layer_norm: rstd: shape must be [2], is [3]; x is [2, 3]");
  Buffer<float, 1> two({2});
  const VectorView<float> of_out(out.data() + 1, {2});
  for (const LayerNormTrace& trace :
       {LayerNormTrace{.mean = of_out}, {.rstd = of_out}, {.mean = two, .rstd = two}}) {
    EXPECT_NE(error_of([&] { layer_norm(x, {}, {}, {}, out, parallel, trace); }).find("shares"),
              std::string::npos);
  }
  const VectorView<const float> inside(out.data() + 1, {3});
  EXPECT_NE(error_of([&] { layer_norm(x, inside, {}, {}, out, parallel); }).find("shares memory"),
            std::string::npos);
  for (const double eps : {-1e-9, static_cast<double>(kNaN), static_cast<double>(kInfinity)}) {
    EXPECT_NE(error_of([&] {
                layer_norm(x, {}, {}, {.eps = eps}, out, parallel);
              }).find("layer_norm: eps: must be finite and at least 0"),
              std::string::npos);
  }
  EXPECT_EQ(out.data()[0], 7);
  layer_norm(x, three, three, {}, out, parallel);
  EXPECT_EQ(out.data()[0], 0);
}

TEST(RmsNorm, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> x({2, 3}), out({2, 3}), wide({2, 4});
  Buffer<float, 1> four({4});
  out.data()[0] = 7;
  EXPECT_EQ(error_of([&] { rms_norm({}, {}, {}, out); }), "rms_norm: x: no tensor given");
  EXPECT_EQ(error_of([&] { rms_norm(x, four, {}, out); }),
            "rms_norm: weight: shape must be [3], is [4]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { rms_norm(x, {}, {}, wide); }),
            "rms_norm: out: shape must be [2, 3], is [2, 4]; the shape of x");
  EXPECT_EQ(error_of([&] { rms_norm(x, {}, {.eps = -1}, out); }),
            "rms_norm: eps: must be finite and at least 0, is -1");
  EXPECT_EQ(out.data()[0], 7);
  rms_norm(x, {}, {}, out);
  EXPECT_EQ(out.data()[0], 0);
}

}  // namespace
}  // namespace tril
