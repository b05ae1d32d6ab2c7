// All tests, on the instruction set that TRIL_FORCE_ISA names, else on the widest.
#include <gtest/gtest.h>
#include <tril/foundation/error.h>
#include <tril/foundation/isa.h>

#include <cstdio>

#include "core/golden.h"

const char* const tril::testing::kGoldenFolder = TRIL_GOLDEN;

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  try {
    std::printf("Instruction set: %s\n", tril::isa_name(tril::best_isa()));
  } catch (const tril::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return RUN_ALL_TESTS();
}
