// What each system does in its own way: opening by path, locks, flushing to the disk, replacing a
// file, naming the process. disk_posix.cc and disk_windows.cc define it; all of it reports failures
// by errno.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace tril::detail {

// `create` fails with EEXIST where the file is there; `update` makes it where it is not, and keeps
// what is in it.
enum class Open { read, write, create, update };

// Null where that fails. Whoever reads a file hinders nobody from replacing it.
std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept;

// Locks a whole file that is open for writing, for this process alone. The system takes the lock
// away when the file is closed or the process ends, however it does.
enum class Lock { taken, held, unknown };  // held by another; not known on this file system
Lock lock_file(std::FILE* file) noexcept;

// Whether the path still leads to the open file: another process may have removed or replaced it.
bool leads_to(const std::filesystem::path& path, std::FILE* file) noexcept;

// False where what was written to the file may not be on the disk yet.
bool flush_to_disk(std::FILE* file) noexcept;

// Renames `from` to `to`, in place of a file that is there. False where that fails.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;

// Makes the names in a folder as lasting as the files: a new name, else, may be gone after a loss
// of power. False where the disk fails; true where the system has no such thing.
bool flush_folder(const std::filesystem::path& folder) noexcept;

// The number of this process and the name of the machine, such as "4711 on tril".
std::string this_process();

}  // namespace tril::detail
