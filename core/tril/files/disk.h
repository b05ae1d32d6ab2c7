// What each system does in its own way: opening by path, flushing to the disk, replacing a file.
// disk_posix.cc and disk_windows.cc define it; all of it reports failures by errno.
#pragma once

#include <cstdio>
#include <filesystem>

namespace tril::detail {

enum class Open { read, write, create };  // `create` fails with EEXIST where the file is there

// Null where that fails. Whoever reads a file hinders nobody from replacing it.
std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept;

// False where what was written to the file may not be on the disk yet.
bool flush_to_disk(std::FILE* file) noexcept;

// Renames `from` to `to`, in place of a file that is there. False where that fails.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;

}  // namespace tril::detail
