// Memory that does not suffice, told before the system ends the program for it.
#pragma once

#include <cstdint>
#include <new>

namespace tril::detail {

// Bytes that can still be had.
using FreeMemory = std::uint64_t (*)();

// For a program with a heap of its own, such as a WebAssembly module, which knows how much is left
// of it. Called before any other thread is started.
void set_free_memory(FreeMemory bytes);

// Throws Error in the name of `call`, naming "memory", with how much `what` takes and how much
// there is, where that is known.
[[noreturn]] void fail_for_memory(const char* call, const char* what, std::uint64_t bytes);

// Throws it where the system, as far as it tells (Linux does), has less than that, most of which
// would only be found out when it is written to.
void check_memory(const char* call, const char* what, std::uint64_t bytes);

// make(), which takes so many bytes.
template <typename Make>
void with_memory(const char* call, const char* what, std::uint64_t bytes, const Make& make) {
  check_memory(call, what, bytes);
  try {
    make();
  } catch (const std::bad_alloc&) {
    fail_for_memory(call, what, bytes);
  }
}

}  // namespace tril::detail
