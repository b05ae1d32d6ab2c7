// A block of bytes that begins on a cache line (64 bytes, also the width of the widest register).
// Buffer and Scratch are built on it.
#pragma once

#include <tril/foundation/message.h>

#include <cstddef>
#include <memory>
#include <new>

namespace tril {

// Bytes of a cache line, and of the widest register.
inline constexpr std::size_t kAlignment = 64;

// Owns a block of bytes.
class AlignedMemory {
 public:
  AlignedMemory() noexcept = default;

  // Allocates uninitialised bytes. Throws OutOfMemory (out_of_memory.h) in the name of `call` where
  // the system reports less memory or gives none; `what` names the user of the memory, with a verb.
  AlignedMemory(std::size_t bytes, const char* call, const Message& what);

  std::byte* data() const noexcept { return data_.get(); }  // null where there are no bytes
  std::size_t bytes() const noexcept { return bytes_; }     // the size of the block

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
