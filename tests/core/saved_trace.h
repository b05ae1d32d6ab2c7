// A trace in memory of its own, as a caller of the functions named *_saved lays it out.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/saved_memory.h>

namespace tril::testing {

// laid_out(SavedMemory&) says how; `memory` is made for it.
template <typename LaidOut>
auto saved_in(Buffer<float, 1>& memory, const LaidOut& laid_out) {
  SavedMemory size;
  laid_out(size);
  memory = Buffer<float, 1>({size.count()});
  SavedMemory place(memory);
  return laid_out(place);
}

}  // namespace tril::testing
