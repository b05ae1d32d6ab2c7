#include <tril/files/disk.h>
#include <tril/files/file.h>
#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

namespace tril {
namespace {

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string system_says(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_write() {
  fail("write_file", "path", {system_says(errno != 0 ? errno : EIO)});
}

void write_pieces(std::FILE* file, const std::function<void(const WritePiece&)>& produce) {
  produce([file](std::span<const std::byte> piece) {
    if (piece.empty()) return;
    if (std::fwrite(piece.data(), 1, piece.size(), file) != piece.size()) fail_write();
  });
}

// The unfinished file is named after the file, and its writer locks it while it lives.
constexpr const char* kUnfinished = ".tril-part";

// Removes files that killed writers of this file have left unfinished.
void remove_abandoned(const std::filesystem::path& target) {
  namespace fs = std::filesystem;
  std::error_code none;
  const std::string beginning = (target.filename() += kUnfinished).string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    if (!at->path().filename().string().starts_with(beginning)) continue;
    const File file(detail::open_file(at->path(), detail::Open::update));
    if (file && detail::lock_file(file.get()) == detail::Lock::taken &&
        detail::leads_to(at->path(), file.get())) {
      std::error_code ignored;
      fs::remove(at->path(), ignored);
    }
  }
}

// A new file beside the target, open and locked, and its path.
File open_unfinished(const std::filesystem::path& target, std::filesystem::path& path) {
  for (int number = 0;; ++number) {
    path = target;
    path += kUnfinished + std::to_string(number);
    File file(detail::open_file(path, detail::Open::create));
    if (!file && errno != EEXIST) fail_write();
    // Another process may have removed the file as abandoned before it was locked.
    if (file && detail::lock_file(file.get()) != detail::Lock::held &&
        detail::leads_to(path, file.get())) {
      return file;
    }
  }
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail("read_file", "path", {system_says(EISDIR)});
  if (std::filesystem::is_character_file(status)) {
    fail("read_file", "path", "is a device, which has no end");
  }
  const File file(detail::open_file(path, detail::Open::read));
  if (!file) fail("read_file", "path", {system_says(errno)});
  // A pipe has no size, and a file that changes meanwhile has a wrong one.
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::vector<std::byte> bytes;
  const auto resize = [&](std::size_t count) {
    detail::with_memory("read_file", "the file takes", static_cast<double>(count),
                        [&] { bytes.resize(count); });
  };
  resize(ignored ? kPart : static_cast<std::size_t>(size) + 1);
  std::size_t filled = 0;
  while (true) {
    filled += std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
    if (std::ferror(file.get())) fail("read_file", "path", {system_says(errno)});
    if (filled < bytes.size()) break;
    resize(2 * bytes.size());
  }
  bytes.resize(filled);
  return bytes;
}

FileReader::FileReader(const std::filesystem::path& path) {
  constexpr const char* kCall = "FileReader";
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) fail(kCall, "path", {system_says(error.value())});
  file_.reset(detail::open_file(path, detail::Open::read));
  if (!file_) fail(kCall, "path", {system_says(errno)});
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // parts are large
  size_ = static_cast<std::size_t>(size);
}

void FileReader::read(std::size_t begin, std::span<std::byte> out) {
  constexpr const char* kCall = "FileReader::read";
  if (begin > size_ || out.size() > size_ - begin) {
    fail(kCall, "begin",
         {"byte ", begin, " and ", out.size(), " bytes end after the end of the file"});
  }
  std::FILE* const file = file_.get();
  // Seeks in steps that fit a long of 32 bits.
  constexpr std::size_t kStep = std::size_t{1} << 30;
  std::rewind(file);
  for (std::size_t left = begin; left > 0; left -= std::min(left, kStep)) {
    if (std::fseek(file, static_cast<long>(std::min(left, kStep)), SEEK_CUR) != 0) {
      fail(kCall, "path", {system_says(errno)});
    }
  }
  if (std::fread(out.data(), 1, out.size(), file) == out.size()) return;
  fail(kCall, "path", {std::ferror(file) ? system_says(errno) : "has become shorter"});
}

void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> pieces) {
  write_file(path, [pieces](const WritePiece& write) {
    for (const std::span<const std::byte> piece : pieces) write(piece);
  });
}

void write_file(const std::filesystem::path& path,
                const std::function<void(const WritePiece&)>& produce) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (fs::is_directory(status)) fail("write_file", "path", {system_says(EISDIR)});
    File file(detail::open_file(path, detail::Open::write));
    if (!file) fail_write();
    write_pieces(file.get(), produce);
    if (std::fclose(file.release()) != 0) fail_write();
    return;
  }
  // Follows links, so that the file is renamed, not the link.
  const fs::path target = fs::exists(status) ? fs::canonical(path) : path;
  remove_abandoned(target);
  fs::path temporary;
  const File file = open_unfinished(target, temporary);  // locked until it has its final name
  try {
    write_pieces(file.get(), produce);
    if (!detail::flush_to_disk(file.get())) fail_write();
    if (fs::exists(status)) fs::permissions(temporary, status.permissions());
    if (!detail::replace_file(temporary, target)) fail_write();
  } catch (const fs::filesystem_error& error) {
    fs::remove(temporary, none);
    fail("write_file", "path", {error.code().message()});
  } catch (...) {
    fs::remove(temporary, none);
    throw;
  }
  if (!detail::flush_folder(target.parent_path())) fail_write();
}

}  // namespace tril
