// A limit on the memory of a test, independent of the machine.
#pragma once

#include <cstddef>

#include "core/sanitized.h"

namespace tril::testing {

// While it lives, operator new throws std::bad_alloc if more than `bytes` would be allocated in
// addition to earlier memory. Sanitizers have their own operators: nothing is limited there, and a
// test that needs it is skipped.
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
