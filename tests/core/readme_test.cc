// The README's C++ example, exactly as written: it compiles, and prints the stated results.
#include <gtest/gtest.h>

#include <string>

#include "readme_example.cc"

namespace {

TEST(Readme, ExampleDoesWhatItSays) {
  ::testing::internal::CaptureStdout();
  readme_main();
  const std::string printed = ::testing::internal::GetCapturedStdout();
  const std::size_t sign = printed.find(" = ");
  ASSERT_NE(sign, std::string::npos) << printed;
  EXPECT_EQ(printed.substr(0, sign) + "\n", printed.substr(sign + 3));
  EXPECT_NE(printed.substr(0, sign), "0");
}

}  // namespace
