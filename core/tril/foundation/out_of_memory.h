// Memory that is not enough: an Error that says how much was asked for and how much there is,
// thrown before the system ends the program for it.
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/message.h>

#include <cstdint>
#include <new>

namespace tril {

// Names "memory". Whoever catches it finds all its data as it was, and may go on with less.
class OutOfMemory : public Error {
 public:
  // `problem` says in words what the numbers say.
  OutOfMemory(const char* call, const Message& problem, double needed, double free);

  // Bytes that were asked for: a double, since a product of sizes may be beyond any integer.
  double needed() const noexcept { return needed_; }
  // Bytes that there were; 0 where nobody tells, or where there were enough, but not in one piece
  // or not for this program.
  double free() const noexcept { return free_; }

 private:
  double needed_, free_;
};

namespace detail {

// Bytes that can still be had.
using FreeMemory = std::uint64_t (*)();

// For a program with a heap of its own, such as a WebAssembly module, which knows how much is left
// of it. Called before any other thread is started.
void set_free_memory(FreeMemory bytes);

// Whether the system, as far as it tells (free_memory.h), has so many bytes, most of which it would
// only look for when they are written to. Few bytes are not worth asking.
bool may_have(double bytes);

// Throws OutOfMemory in the name of `call`. `what` is who takes the memory, with its verb: "the
// weights take".
[[noreturn]] void fail_for_memory(const char* call, const Message& what, double bytes);

// make(), which takes so many bytes. Throws as fail_for_memory does where there are less.
template <typename Make>
void with_memory(const char* call, const Message& what, double bytes, const Make& make) {
  if (!may_have(bytes)) fail_for_memory(call, what, bytes);
  try {
    make();
  } catch (const std::bad_alloc&) {
    fail_for_memory(call, what, bytes);
  } catch (const OutOfMemory&) {  // of a part
    fail_for_memory(call, what, bytes);
  }
}

}  // namespace detail

}  // namespace tril
