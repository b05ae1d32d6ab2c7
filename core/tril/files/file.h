// Files on disk: read into memory, whole or in parts, or written so that nobody ever sees half of
// one.
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

// Throws Error, whose problem is what the system says, where the file cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);

// A file that is read in parts.
class FileReader {
 public:
  // Throws Error, whose problem is what the system says, where it cannot be read or has no size.
  explicit FileReader(const std::filesystem::path& path);

  // In bytes, when it was opened.
  std::size_t size() const noexcept { return size_; }
  // So many bytes from byte `begin` on. Throws Error where they are not there or cannot be read.
  void read(std::size_t begin, std::span<std::byte> out);

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t size_ = 0;
};

// Writes the pieces, one after the other, to a new file beside `path` and renames that to `path`:
// whatever happens, a loss of power included, there is the old file or the whole new one. What is
// no regular file (a pipe, /dev/null) is written to as it is. Throws Error where that fails, and
// leaves nothing behind. What a writer of the same file has left that was killed is removed.
void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> pieces);

// The same of pieces that `produce` gives to its argument one after the other, so that they need
// not all be in memory at once. What produce throws ends the writing as an error does.
using WritePiece = std::function<void(std::span<const std::byte>)>;
void write_file(const std::filesystem::path& path,
                const std::function<void(const WritePiece&)>& produce);

}  // namespace tril
