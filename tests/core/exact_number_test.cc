#include <gtest/gtest.h>
#include <tril/foundation/exact_number.h>
#include <tril/foundation/message.h>
#include <tril/foundation/random.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace tril {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// C++'s own text of it in the classic locale.
std::string classic(double value, int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  text << value;
  return text.str();
}

double scattered(Random& random) {
  return random.normal() * std::pow(10.0, static_cast<int>(random.below(600)) - 300) *
         (1 + random.uniform() * 1e-9);
}

TEST(ExactNumber, IsWrittenWithAsManyDigitsAsItTakes) {
  EXPECT_EQ(exact_number_text(0.001), "0.001");
  EXPECT_EQ(exact_number_text(1e-5), "1e-05");
  EXPECT_EQ(exact_number_text(-0.0), "-0");
  EXPECT_EQ(exact_number_text(10000), "10000");
  EXPECT_EQ(exact_number_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(exact_number_text(1.0 / 3), "0.3333333333333333");
}

TEST(ExactNumber, IsReadBackWithTheSameBits) {
  const auto expect_read_back = [](double value) {
    const std::string text = exact_number_text(value);
    EXPECT_EQ(read_number(text), value) << text;
    EXPECT_LE(text.size(), 24u);
  };
  for (const double value : {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9.5, 999.0,
                             -123456789.0, 9007199254740993.0, 0.99999999999999989}) {
    expect_read_back(value);
  }
  Random random(4);
  for (int i = 0; i < 2000; ++i) expect_read_back(scattered(random));
}

TEST(ReadNumber, ReadsWhatIsADecimalNumber) {
  struct Case {
    const char* text;
    double value;
  };
  for (const auto& [text, value] : {Case{"0", 0.0},
                                    {"-0", -0.0},
                                    {"0.5", 0.5},
                                    {".5", 0.5},
                                    {"-.5", -0.5},
                                    {"5.", 5.0},
                                    {"007", 7.0},
                                    {"1e3", 1000.0},
                                    {"1E+3", 1000.0},
                                    {"-12.5e-1", -1.25},
                                    {"0.1", 0x1.999999999999ap-4},
                                    {"9007199254740993", 9007199254740992.0},
                                    {"4.9e-324", 5e-324},
                                    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
                                    {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
                                    {"1.7976931348623159e308", kInfinity},
                                    {"1e400", kInfinity},
                                    {"-1e400", -kInfinity},
                                    {"1e99999999999999999999", kInfinity},
                                    {"0.0001e404", kInfinity},
                                    {"1e-400", 0.0},
                                    {"-1e-400", -0.0},
                                    {"1e-99999999999999999999", 0.0},
                                    {"10000e-404", 0.0},
                                    {"0e999", 0.0},
                                    {"inf", kInfinity},
                                    {"-inf", -kInfinity},
                                    {"Infinity", kInfinity},
                                    {"INF", kInfinity}}) {
    const std::optional<double> read = read_number(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*read), std::bit_cast<std::uint64_t>(value)) << text;
  }
  const std::string long_one = "0." + std::string(400, '0') + "1e401";
  EXPECT_EQ(read_number(long_one), 1.0);
  for (const char* text : {"nan", "NaN", "-nan"}) {
    const std::optional<double> read = read_number(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_TRUE(std::isnan(*read)) << text;
  }
}

TEST(ReadNumber, ReadsWhatStreamsRead) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const double value = scattered(random);
    const std::string text = classic(value, 1 + i % 20);
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double expected = 0;
    stream >> expected;
    EXPECT_EQ(read_number(text), expected) << text;
  }
}

TEST(ReadNumber, TakesNothingElse) {
  for (const std::string text :
       {"",        "-",     ".",       "-.",        "e5",  ".e5",  "1e",   "1e+",
        "+1",      "--1",   "-+1",     " 1",        "1 ",  "\t1",  "1\n",  "0,5",
        "1.234,5", "1_000", "0x10",    "0x1p3",     "1f",  "1.5.", "1..5", "nan(1)",
        "nano",    "in",    "infinit", "infinity1", "- 1", "one",  "١"}) {
    EXPECT_FALSE(read_number(text).has_value()) << '"' << text << '"';
  }
  EXPECT_FALSE(read_number(std::string("1\0", 2)).has_value());
  EXPECT_FALSE(read_number(std::string("1\0002", 3)).has_value());
  EXPECT_EQ(read_number(std::string_view("1234").substr(1, 2)), 23.0);
}

TEST(NumberText, IsShortAndTrue) {
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, 12.5, -3.25, 0.1, 1e-5, 1e-6, -2.5e-7,
                             123456.0, 1.5e16, 100.0, 1e300, 1e-300, 0.999999, 0.00012345}) {
    EXPECT_EQ(number_text(value), classic(value, 6));
  }
  for (const float value : {0.1f, 0.3f, 1e-6f}) {
    EXPECT_EQ(number_text(static_cast<double>(value)), classic(static_cast<double>(value), 6));
  }
  for (const double value :
       {1.0000001, 1.0 / 3, 0.9999999, 5e-324, 1.234567e20, 1.7976931348623157e308}) {
    EXPECT_EQ(number_text(value), classic(value, 9));
  }
  EXPECT_EQ(number_text(0.99999999999), "1");
  EXPECT_EQ(number_text(999999.9999999), "1e+06");
  EXPECT_EQ(number_text(-16777216.5), "-1.67772165e+07");
  // Sizes are integers.
  EXPECT_EQ(number_text(1e6), "1000000");
  EXPECT_EQ(number_text(-16777217), "-16777217");
  EXPECT_EQ(number_text(999999999999999.0), "999999999999999");
  EXPECT_EQ(number_text(9007199254740992.0), "9.00719925e+15");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(kInfinity), "inf");
  EXPECT_EQ(number_text(-kInfinity), "-inf");
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    const double value = scattered(random);
    const std::string text = number_text(value);
    // The rounding of a float, and that of scaling by up to 300 tens.
    EXPECT_NEAR(*read_number(text), value, std::fabs(value) * 6.0001e-8) << value;
    EXPECT_LE(text.size(), 16u);
  }
}

}  // namespace
}  // namespace tril
