#include <tril/foundation/check.h>
#include <tril/model/memory_needed.h>

#ifdef __linux__
#include <fstream>
#include <string>
#endif

namespace tril::detail {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// What the system could give without ending a program, swap included; 0 where it does not tell.
std::uint64_t read_meminfo() {
  std::uint64_t sum = 0;
#ifdef __linux__
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kibibytes; file >> name >> kibibytes; std::getline(file, unit)) {
    if (name == "MemAvailable:" || name == "SwapFree:") sum += kibibytes << 10;
  }
#endif
  return sum;
}

FreeMemory free_memory = nullptr;

}  // namespace

void set_free_memory(FreeMemory bytes) { free_memory = bytes; }

void fail_for_memory(const char* call, const char* what, std::uint64_t bytes) {
  const std::uint64_t free = free_memory ? free_memory() : read_meminfo();
  const std::uint64_t needed = bytes / kMiB;
  if (free == 0) fail(call, "memory", {"does not suffice: ", what, " take ", needed, " MiB"});
  fail(call, "memory",
       {"does not suffice: ", what, " take ", needed, " MiB, and there are ", free / kMiB});
}

void check_memory(const char* call, const char* what, std::uint64_t bytes) {
  constexpr std::uint64_t kLittle = 64 * kMiB;
  // With a heap of its own a block that was freed may be large enough: trying does no harm.
  if (free_memory || bytes < kLittle) return;
  const std::uint64_t free = read_meminfo();
  if (free > 0 && bytes > free) fail_for_memory(call, what, bytes);
}

}  // namespace tril::detail
