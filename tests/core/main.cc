// Runs all tests, on the instruction set that TRIL_FORCE_ISA names, else on the widest, and in the
// locale that TRIL_TEST_LOCALE names, as in a program that shows numbers in its user's format.
#include <gtest/gtest.h>
#include <tril/foundation/error.h>
#include <tril/foundation/isa.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string_view>

#include "core/golden.h"

const char* const tril::testing::kGoldenFolder = TRIL_GOLDEN;

namespace {

// The locale is set only while a test runs: GoogleTest writes its report with streams, and JSON has
// no "0,5".
class InLocale : public ::testing::EmptyTestEventListener {
 public:
  explicit InLocale(const char* name) : locale_(name) {}
  void OnTestStart(const ::testing::TestInfo&) override {
    std::locale::global(locale_);
#ifdef LC_MESSAGES
    std::setlocale(LC_MESSAGES, "C");  // tests quote system messages
#endif
  }
  void OnTestEnd(const ::testing::TestInfo&) override {
    std::locale::global(std::locale::classic());
  }

 private:
  std::locale locale_;
};

}  // namespace

int main(int argc, char** argv) {
  // Death tests of forced_isa_test.cc run without the check below: they test that calls refuse the
  // variable.
  const bool refused = std::any_of(argv, argv + argc, [](const char* argument) {
    return std::string_view(argument).starts_with("--gtest_internal_run_death_test");
  });
  ::testing::InitGoogleTest(&argc, argv);
  if (refused) return RUN_ALL_TESTS();
  try {
    std::printf("Instruction set: %s\n", tril::isa_name(tril::best_isa()));
  } catch (const tril::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  if (const char* const name = std::getenv("TRIL_TEST_LOCALE"); name && *name) {
    try {
      ::testing::UnitTest::GetInstance()->listeners().Append(new InLocale(name));
    } catch (const std::runtime_error&) {
      std::fprintf(stderr, "TRIL_TEST_LOCALE: the locale %s is not installed\n", name);
      return 2;
    }
    std::printf("Locale: %s\n", name);
  }
  return RUN_ALL_TESTS();
}
