// Operations that differ between systems: opening by path, locks, flushing to the disk, replacing a
// file, naming the process. disk_posix.cc and disk_windows.cc define them; all report failures by
// errno.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace tril::detail {

// `create` fails with EEXIST where the file exists; `update` creates a missing file and keeps the
// content of an existing one.
enum class Open { read, write, create, update };

// Opens a file; null where that fails. A file that is being read can still be replaced.
std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept;

// Locks a whole file that is open for writing, exclusively for this process. The system releases
// the lock when the file is closed or the process ends in any way.
enum class Lock { taken, held, unknown };  // held: by another process; unknown: not supported
Lock lock_file(std::FILE* file) noexcept;

// Whether the path still names the open file, which another process may have removed or replaced.
bool leads_to(const std::filesystem::path& path, std::FILE* file) noexcept;

// Flushes the file; false where written data may not be on the disk yet.
bool flush_to_disk(std::FILE* file) noexcept;

// Renames `from` to `to`, and replaces an existing file. False where that fails.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;

// Flushes the names in a folder; without this a new name may be lost with the power. False where
// the disk fails; true where the system has no such call.
bool flush_folder(const std::filesystem::path& folder) noexcept;

// The number of this process and the name of the machine, such as "4711 on tril".
std::string this_process();

}  // namespace tril::detail
