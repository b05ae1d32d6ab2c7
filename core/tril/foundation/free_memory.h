// How much memory the system has, asked of each system in its own words.
#pragma once

#include <cstdint>
#ifdef __linux__
#include <filesystem>
#endif

namespace tril::detail {

// Bytes that the system could give without ending a program, swap included; of macOS, which does
// not tell, those that the machine has. 0 where it does not tell that either.
std::uint64_t system_free_memory();

#ifdef __linux__
// The same, of the files under `root`: what /proc/meminfo has, and no more than what the control
// groups of this process (version 1 or 2), which containers and job schedulers set, leave of it.
std::uint64_t linux_free_memory(const std::filesystem::path& root);
#endif

}  // namespace tril::detail
