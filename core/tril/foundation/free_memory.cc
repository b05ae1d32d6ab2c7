#include <tril/foundation/free_memory.h>

#if defined(__linux__)
#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#elif defined(__APPLE__)
#include <sys/sysctl.h>

#include <cstddef>
#elif defined(_WIN32)
#include <windows.h>
#endif

namespace tril::detail {

#if defined(__linux__)

namespace {

namespace fs = std::filesystem;

// The number at the beginning of a file; `otherwise` where there is none, as in "max".
std::uint64_t number_in(const fs::path& file, std::uint64_t otherwise) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : otherwise;
}

// The sum of the numbers with these names, in lines of "NAME NUMBER".
std::uint64_t sum_in(const fs::path& file, std::initializer_list<std::string_view> names) {
  std::ifstream in(file);
  std::uint64_t sum = 0, number = 0;
  for (std::string name, rest; in >> name >> number; std::getline(in, rest)) {
    if (std::ranges::find(names, name) != names.end()) sum += number;
  }
  return sum;
}

std::uint64_t less(std::uint64_t from, std::uint64_t by) noexcept {
  return from - std::min(from, by);
}

// The memory and swap left by a control group. Cached pages of files count as free.
std::uint64_t left_in(const fs::path& group, std::uint64_t swap) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const fs::path files = group / "memory.stat";
  std::uint64_t limit = number_in(group / "memory.max", kNone), used = 0;
  if (limit != kNone) {
    used = less(number_in(group / "memory.current", 0),
                sum_in(files, {"inactive_file", "active_file"}));
    swap = std::min(swap, less(number_in(group / "memory.swap.max", kNone),
                               number_in(group / "memory.swap.current", 0)));
  } else {
    limit = number_in(group / "memory.limit_in_bytes", kNone);
    if (limit == kNone) return kNone;
    used = less(number_in(group / "memory.usage_in_bytes", 0),
                sum_in(files, {"total_inactive_file", "total_active_file"}));
  }
  return less(limit, used) + swap;
}

}  // namespace

std::uint64_t linux_free_memory(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";  // in KiB
  const std::uint64_t swap = sum_in(meminfo, {"SwapFree:"}) << 10;
  std::uint64_t free = (sum_in(meminfo, {"MemAvailable:"}) << 10) + swap;
  // Lines of "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers. A limit applies to all groups
  // inside a group. In a container the path may be that outside the container: then its folders do
  // not exist, and the root group has the container's limit.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    fs::path group = root / "sys/fs/cgroup";
    if (controllers.find(",memory,") != std::string::npos) {
      group /= "memory";
    } else if (controllers != ",,") {
      continue;
    }
    free = std::min(free, left_in(group, swap));
    for (const fs::path& part : fs::path(line.substr(second + 1)).relative_path()) {
      free = std::min(free, left_in(group /= part, swap));
    }
  }
  return free;
}

std::uint64_t system_free_memory() { return linux_free_memory("/"); }

#elif defined(__APPLE__)

std::uint64_t system_free_memory() {
  std::uint64_t bytes = 0;
  std::size_t size = sizeof(bytes);
  return sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
}

#elif defined(_WIN32)

std::uint64_t system_free_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? status.ullAvailPageFile : 0;
}

#else

std::uint64_t system_free_memory() { return 0; }

#endif

}  // namespace tril::detail
