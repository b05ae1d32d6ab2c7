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

// Whether the system, as far as it tells (free_memory.h), has so many bytes, most of which it would
// only look for when they are written to.
bool may_have(double bytes);

// Throws Error in the name of `call`, naming "memory", with how much `what` takes and how much
// there is, where that is known.
[[noreturn]] void fail_for_memory(const char* call, const char* what, double bytes);

// make(), which takes so many bytes: a double, since a product of sizes may be beyond any integer.
// Throws as fail_for_memory does where there are less.
template <typename Make>
void with_memory(const char* call, const char* what, double bytes, const Make& make) {
  if (!may_have(bytes)) fail_for_memory(call, what, bytes);
  try {
    make();
  } catch (const std::bad_alloc&) {
    fail_for_memory(call, what, bytes);
  }
}

}  // namespace tril::detail
