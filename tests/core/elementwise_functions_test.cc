// Functions of one number, and powers, against their values in double.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/elementwise.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tril {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The distance in units in the last place of the float nearest to the exact value.
double ulps(double exact, float actual) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isinf(nearest)) {
    return std::isnan(exact) == std::isnan(actual) && (std::isnan(exact) || nearest == actual)
               ? 0
               : HUGE_VAL;
  }
  const double size = std::max<double>(std::fabs(nearest), 0x1p-126);
  return std::fabs(exact - actual) / std::ldexp(1, std::ilogb(size) - 23);
}

// A function, its value in double, and its largest error.
struct Function {
  Unary operation;
  double (*exact)(double);
  double bound;  // in ulp
};
constexpr Function kFunctions[] = {
    {Unary::exp, [](double x) { return std::exp(x); }, 1},
    {Unary::log, [](double x) { return std::log(x); }, 1},
    {Unary::sqrt, [](double x) { return std::sqrt(x); }, 0.5},
    {Unary::abs, [](double x) { return std::fabs(x); }, 0},
    {Unary::negate, [](double x) { return -x; }, 0},
    {Unary::tanh, [](double x) { return std::tanh(x); }, 3},
};

TEST(ElementwiseFunctions, AreWithinTheirBoundsOnEveryInstructionSet) {
  // Every 9973rd float of both signs, including subnormals, infinities and NaN; and floats around
  // 1, where a logarithm is smallest.
  std::vector<float> x = {0, -0.0f, kInfinity, -kInfinity, kNaN, 0x1p-149f, 0x1p-126f, 1};
  for (std::uint64_t bits = 0; bits < 0x100000000; bits += 9973) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (std::uint32_t bits = 0x3f7fff00; bits < 0x3f800100; ++bits) {
    x.push_back(std::bit_cast<float>(bits));
  }
  std::vector<float> out(x.size());
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    for (const Function& function : kFunctions) {
      const std::string_view name = name_of(kUnary, function.operation);
      arithmetic_kernels(isa).of(function.operation)(x.data(), out.data(),
                                                     static_cast<Index>(x.size()));
      double worst = 0;
      float where = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double beyond = ulps(function.exact(x[i]), out[i]);
        if (beyond > worst) worst = beyond, where = x[i];
      }
      EXPECT_LE(worst, function.bound) << name << " of " << where;
      RecordProperty(std::string(name) + "_ulps_" + isa_name(isa), std::to_string(worst));
    }
  }
}

TEST(ElementwiseFunctions, RaiseToPowersAsC) {
  std::vector<float> values = {
      0,      -0.0f,   1,         -1,         2,       -2,    0.5f,          -0.5f,  3,
      2.5f,   -2.5f,   1025,      -1025,      0x1p24f, 1e30f, -1e30f,        1e-30f, kNaN,
      1e-40f, -1e-40f, kInfinity, -kInfinity, 1023,    -1023, 0x1.000002p+0f};
  Random random(9);
  for (int n = 0; n < 40; ++n) values.push_back(std::ldexp(random.uniform(), n - 20));
  const Index count = static_cast<Index>(values.size());
  Buffer<float, 2> out({count, count});
  binary(Binary::power, MatrixView<const float>(values.data(), {count, 1}),
         VectorView<const float>(values.data(), {count}), out);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) {
      const double x = values[static_cast<std::size_t>(i)], y = values[static_cast<std::size_t>(j)];
      const double exact = std::pow(x, y);
      EXPECT_LE(ulps(exact, out.view()[i][j]), 0.51) << x << " ^ " << y;
      if (std::isnan(exact)) continue;
      EXPECT_EQ(std::signbit(exact), std::signbit(out.view()[i][j])) << x << " ^ " << y;
    }
  }
}

}  // namespace
}  // namespace tril
