// Sizes that a caller chose, multiplied: none of their products may leave an Index.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstddef>
#include <initializer_list>

namespace tril {

// A size, and what the caller knows it as.
struct NamedSize {
  const char* name;  // the caller's word for it
  Index size;        // as it was given
};

// All sizes multiplied, by checked_count of check.h. Throws Error, naming all of them, where one is
// below 0, or where as many elements of `element_size` bytes could not be addressed.
Index checked_count(std::initializer_list<NamedSize> sizes, std::size_t element_size,
                    const char* call);

}  // namespace tril
