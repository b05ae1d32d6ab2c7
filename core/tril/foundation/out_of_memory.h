// The Error for too little memory. It says how much is needed and how much there is, and is thrown
// before the system would end the program.
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/message.h>

#include <cstdint>
#include <new>

namespace tril {

// Its argument is "memory". After it is caught, all data is unchanged, and the program may continue
// with smaller sizes.
class OutOfMemory : public Error {
 public:
  // `problem` is the text; `needed` and `free` are its numbers.
  OutOfMemory(const char* call, const Message& problem, double needed, double free);

  // Bytes that were needed: a double, since a product of sizes may exceed every integer type.
  double needed() const noexcept { return needed_; }
  // Bytes that were free; 0 where that is unknown, or where enough were free but not in one piece
  // or not for this program.
  double free() const noexcept { return free_; }

 private:
  double needed_, free_;
};

namespace detail {

// Returns the bytes that can still be allocated.
using FreeMemory = std::uint64_t (*)();

// Replaces the system's answer, for a program with its own heap such as a WebAssembly module. Call
// it before any other thread starts.
void set_free_memory(FreeMemory bytes);

// Whether the system, as far as it tells (free_memory.h), has that many bytes; most systems find
// memory only when it is written. For a small number the system is not asked.
bool may_have(double bytes);

// Throws OutOfMemory in the name of `call`. `what` names the user of the memory, with a verb: "the
// weights take".
[[noreturn]] void fail_for_memory(const char* call, const Message& what, double bytes);

// Returns make(), which takes `bytes` bytes. Throws as fail_for_memory does where there are fewer.
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
