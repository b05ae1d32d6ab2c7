// The free memory of the system, with the calls of each system.
#pragma once

#include <cstdint>
#ifdef __linux__
#include <filesystem>
#endif

namespace tril::detail {

// Bytes that the system could provide without killing a program, swap included. macOS does not
// tell; there it is the memory of the machine. 0 where that is unknown, too.
std::uint64_t system_free_memory();

#ifdef __linux__
// The same from the files under `root`: the free memory in /proc/meminfo, within the limits of the
// control groups of this process (version 1 or 2). Containers and job schedulers set such groups.
std::uint64_t linux_free_memory(const std::filesystem::path& root);
#endif

}  // namespace tril::detail
