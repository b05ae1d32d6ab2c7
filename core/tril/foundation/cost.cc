#include <tril/foundation/check.h>
#include <tril/foundation/cost.h>

namespace tril::detail {

void check_size(Index size, const char* call, const char* name) {
  if (size < 1) fail(call, name, "must be at least 1, is " + std::to_string(size));
}

}  // namespace tril::detail
