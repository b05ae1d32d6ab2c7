// Products of sizes that a caller chose, checked against the range of Index.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <initializer_list>

namespace tril {

// A size and its name in the error.
struct NamedSize {
  const char* name;  // the caller's name for it
  Index size;        // its value
};

// The product of all sizes, by checked_count of check.h. Throws Error, naming all of them, where
// one is below 0 or where that many elements of `element_size` bytes cannot be addressed.
Index checked_count(std::initializer_list<NamedSize> sizes, std::size_t element_size,
                    const char* call);

}  // namespace tril
