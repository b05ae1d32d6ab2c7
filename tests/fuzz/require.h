// An invariant for every input. The fuzzer keeps an input that breaks it.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tril::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace tril::fuzz
