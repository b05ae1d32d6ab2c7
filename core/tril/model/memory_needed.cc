#include <tril/foundation/check.h>
#include <tril/model/memory_needed.h>

#ifdef __EMSCRIPTEN__
#include <emscripten/heap.h>
#include <unistd.h>
#else
#include <fstream>
#include <string>
#endif

namespace tril::detail {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

#ifdef __EMSCRIPTEN__

// What the module's memory can still grow by.
std::uint64_t free_memory() {
  return emscripten_get_heap_max() - reinterpret_cast<std::uintptr_t>(sbrk(0));
}

#else

// What Linux could give without ending a program, swap included; elsewhere 0: not known.
std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t sum = 0;
  std::string name, unit;
  for (std::uint64_t kibibytes; file >> name >> kibibytes; std::getline(file, unit)) {
    if (name == "MemAvailable:" || name == "SwapFree:") sum += kibibytes << 10;
  }
  return sum;
}

#endif

}  // namespace

void fail_for_memory(const char* call, const char* what, std::uint64_t bytes) {
  const std::uint64_t free = free_memory();
  const std::uint64_t needed = bytes / kMiB;
  if (free == 0) fail(call, "memory", {"does not suffice: ", what, " take ", needed, " MiB"});
  fail(call, "memory",
       {"does not suffice: ", what, " take ", needed, " MiB, and there are ", free / kMiB});
}

void check_memory(const char* call, const char* what, std::uint64_t bytes) {
#ifdef __EMSCRIPTEN__  // a block that was freed may be large enough: trying does no harm
  static_cast<void>(call), static_cast<void>(what), static_cast<void>(bytes);
#else
  constexpr std::uint64_t kLittle = 64 * kMiB;
  if (bytes < kLittle) return;
  const std::uint64_t free = free_memory();
  if (free > 0 && bytes > free) fail_for_memory(call, what, bytes);
#endif
}

}  // namespace tril::detail
