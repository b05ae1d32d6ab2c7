// Files on disk: reading whole files or parts of them, and writing so that no reader ever sees half
// a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tril {

// Reads a whole file. Throws Error with the system's message where the file cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);

// A file that is read in parts.
class FileReader {
 public:
  // Opens the file. Throws Error with the system's message where it cannot be read or has no size.
  explicit FileReader(const std::filesystem::path& path);

  // Size in bytes at the time of opening.
  std::size_t size() const noexcept { return size_; }
  // Fills `out` with the bytes from `begin` on. Throws Error where these reach past the end of the
  // file or cannot be read.
  void read(std::size_t begin, std::span<std::byte> out);

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t size_ = 0;
};

// Writes the pieces in order to a new file beside `path` and renames it to `path`. Whatever
// happens, even a loss of power, `path` is the old file or the complete new one. A pipe, /dev/null
// or anything else that is no regular file is written directly. Throws Error, and removes the new
// file, where that fails. Removes what a killed writer of the same file has left.
void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> pieces);

// The same for pieces that `produce` passes to its argument one after another, so that not all of
// them are in memory at once. An exception of `produce` ends the writing like an error.
using WritePiece = std::function<void(std::span<const std::byte>)>;
void write_file(const std::filesystem::path& path,
                const std::function<void(const WritePiece&)>& produce);

}  // namespace tril
