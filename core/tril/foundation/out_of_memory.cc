#include <tril/foundation/free_memory.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril {
namespace {

constexpr double kKiB = 1 << 10, kMiB = 1 << 20;

detail::FreeMemory own_heap = nullptr;

// The free bytes; 0 where unknown, or where there is not even memory to ask.
double free_bytes() {
  try {
    return static_cast<double>(own_heap ? own_heap() : detail::system_free_memory());
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace

OutOfMemory::OutOfMemory(const char* call, const Message& problem, double needed, double free)
    : Error(call, "memory", problem.text()), needed_(needed), free_(free) {}

namespace detail {

void set_free_memory(FreeMemory bytes) { own_heap = bytes; }

bool may_have(double bytes) {
  constexpr double kLittle = 64 * kMiB;
  if (bytes < kLittle) return true;
  if (bytes > static_cast<double>(std::numeric_limits<Index>::max())) return false;
  // In a program's own heap a freed block may be large enough, and trying does no harm.
  if (own_heap) return true;
  const double free = free_bytes();
  return free == 0 || bytes <= free;
}

void fail_for_memory(const char* call, const Message& what, double bytes) {
  // One block has no more bytes than Index can count, even if more are free.
  const double free =
      std::min(free_bytes(), static_cast<double>(std::numeric_limits<Index>::max()));
  const bool in_mebibytes = bytes >= kMiB;
  const double unit = in_mebibytes ? kMiB : kKiB;
  const double needed = in_mebibytes ? std::floor(bytes / unit) : std::ceil(bytes / unit);
  const Message text("is not enough: ", what, " ", needed, in_mebibytes ? " MiB" : " KiB");
  if (free == 0 || free >= bytes) throw OutOfMemory(call, text, bytes, 0);
  throw OutOfMemory(call, {text, ", and there are ", std::floor(free / unit)}, bytes, free);
}

}  // namespace detail

}  // namespace tril
