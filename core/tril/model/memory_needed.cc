#include <tril/foundation/check.h>
#include <tril/model/free_memory.h>
#include <tril/model/memory_needed.h>

#include <cmath>
#include <limits>

namespace tril::detail {
namespace {

constexpr double kMiB = 1 << 20;

FreeMemory own_heap = nullptr;

// 0 where nobody tells.
double free_mebibytes() {
  const std::uint64_t free = own_heap ? own_heap() : system_free_memory();
  return std::floor(static_cast<double>(free) / kMiB);
}

}  // namespace

void set_free_memory(FreeMemory bytes) { own_heap = bytes; }

bool may_have(double bytes) {
  constexpr double kLittle = 64 * kMiB;
  if (bytes < kLittle) return true;
  if (bytes > static_cast<double>(std::numeric_limits<Index>::max())) return false;
  // With a heap of its own a block that was freed may be large enough: trying does no harm.
  if (own_heap) return true;
  const auto free = static_cast<double>(system_free_memory());
  return free == 0 || bytes <= free;
}

void fail_for_memory(const char* call, const char* what, double bytes) {
  const double needed = std::floor(bytes / kMiB), free = free_mebibytes();
  const Message text("does not suffice: ", what, " take ", needed, " MiB");
  if (free == 0) fail(call, "memory", text);
  fail(call, "memory", {text, ", and there are ", free});
}

}  // namespace tril::detail
