// The instruction set that runs, and its choice by TRIL_FORCE_ISA.
#include <gtest/gtest.h>
#include <tril/foundation/isa.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

TEST(Isa, BaselineRunsEverywhereAndComesFirst) {
  ASSERT_FALSE(available_isas().empty());
  EXPECT_EQ(available_isas().front(), Isa::baseline);
  EXPECT_TRUE(std::ranges::is_sorted(available_isas()));
}

TEST(Isa, IsForcedByItsName) {
  for (const Isa isa : available_isas()) EXPECT_EQ(forced_isa(isa_name(isa)), isa);
}

TEST(Isa, RefusesAnotherName) {
  for (const std::string_view name : {"sse9", "AVX2", " avx2", "avx2 ", "", "0"}) {
    const std::string message = error_of([&] { forced_isa(name); });
    EXPECT_EQ(message.find("TRIL_FORCE_ISA: " + std::string(name) +
                           ": no such instruction set; there are baseline"),
              0u)
        << message;
  }
}

TEST(Isa, RunsWhatIsForcedElseTheWidest) {
  const char* const forced = std::getenv("TRIL_FORCE_ISA");
  if (forced && *forced) {
    EXPECT_STREQ(isa_name(best_isa()), forced);
  } else {
    EXPECT_EQ(best_isa(), available_isas().back());
  }
}

}  // namespace
}  // namespace tril
