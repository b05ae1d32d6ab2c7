// A block of bytes on a cache-line boundary (64 bytes, also the width of the widest register): the
// owner that Buffer and Scratch are built on.
#pragma once

#include <tril/foundation/message.h>

#include <cstddef>
#include <memory>
#include <new>

namespace tril {

// A cache line, and the widest register.
inline constexpr std::size_t kAlignment = 64;

// Bytes that are owned.
class AlignedMemory {
 public:
  AlignedMemory() noexcept = default;

  // Uninitialised. Throws OutOfMemory (out_of_memory.h) in the name of `call`, where the system has
  // less, as far as it tells, or gives none; `what` takes them, said with its verb.
  AlignedMemory(std::size_t bytes, const char* call, const Message& what);

  std::byte* data() const noexcept { return data_.get(); }  // null where there are none
  std::size_t bytes() const noexcept { return bytes_; }     // how many there are

 private:
  struct Release {
    void operator()(std::byte* data) const noexcept {
      ::operator delete (data, std::align_val_t{kAlignment});
    }
  };
  std::unique_ptr<std::byte, Release> data_;
  std::size_t bytes_ = 0;
};

}  // namespace tril
