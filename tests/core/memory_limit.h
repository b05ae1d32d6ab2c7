// As much memory as a test may take, whatever the machine has.
#pragma once

#include <cstddef>

#include "core/sanitized.h"

namespace tril::testing {

// While it lives, operator new throws std::bad_alloc where more than `bytes` would be there besides
// what there was. Sanitizers have operators of their own: nothing is limited there, and a test that
// needs it is skipped.
class MemoryLimit {
 public:
#if TRIL_SANITIZED
  explicit MemoryLimit(std::size_t) {}
#else
  explicit MemoryLimit(std::size_t bytes);
  ~MemoryLimit();
#endif
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace tril::testing
