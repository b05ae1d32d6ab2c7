#include <tril/foundation/memory.h>
#include <tril/foundation/out_of_memory.h>

namespace tril {

AlignedMemory::AlignedMemory(std::size_t bytes, const char* call, const Message& what) {
  detail::with_memory(call, what, static_cast<double>(bytes), [&] {
    data_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment})));
  });
  bytes_ = bytes;
}

}  // namespace tril
