#include <tril/files/disk.h>
#include <tril/files/file.h>
#include <tril/foundation/check.h>

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

// False where the file is there already.
bool open_new(const std::filesystem::path& path, File& file) {
  file.reset(detail::open_file(path, detail::Open::create));
  if (file) return true;
  if (errno != EEXIST) fail("write_file", "path", {system_says(errno)});
  return false;
}

// Whether it only counts as written once it is on the disk, and not in the system's memory.
enum class Lasting { no, yes };

void write_pieces(File file, const std::function<void(const WritePiece&)>& produce,
                  Lasting lasting) {
  const auto failed = [] { fail("write_file", "path", {system_says(errno != 0 ? errno : EIO)}); };
  produce([&](std::span<const std::byte> piece) {
    if (piece.empty()) return;
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) failed();
  });
  // What was buffered is written now; only then is it known to be there.
  if (lasting == Lasting::yes && !detail::flush_to_disk(file.get())) failed();
  if (std::fclose(file.release()) != 0) failed();
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
  // A pipe has no size; what grows or shrinks meanwhile has the wrong one.
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::vector<std::byte> bytes(ignored ? kPart : static_cast<std::size_t>(size) + 1);
  std::size_t filled = 0;
  while (true) {
    filled += std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
    if (std::ferror(file.get())) fail("read_file", "path", {system_says(errno)});
    if (filled < bytes.size()) break;
    bytes.resize(2 * bytes.size());
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
    fail(kCall, "begin", {"byte ", begin, " and ", out.size(), " bytes end behind the file"});
  }
  std::FILE* const file = file_.get();
  // By steps that fit a long, wherever that has 32 bits.
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
    if (!file) fail("write_file", "path", {system_says(errno)});
    return write_pieces(std::move(file), produce, Lasting::no);
  }
  // Through links, so that the file is renamed, not the link.
  const fs::path target = fs::exists(status) ? fs::canonical(path) : path;
  fs::path temporary;
  File file;
  for (int number = 0;; ++number) {
    temporary = target;
    temporary += ".part" + std::to_string(number);
    if (open_new(temporary, file)) break;
  }
  try {
    write_pieces(std::move(file), produce, Lasting::yes);
    if (fs::exists(status)) fs::permissions(temporary, status.permissions());
    if (!detail::replace_file(temporary, target)) {
      fail("write_file", "path", {system_says(errno)});
    }
  } catch (const fs::filesystem_error& error) {
    fs::remove(temporary, none);
    fail("write_file", "path", {error.code().message()});
  } catch (...) {
    fs::remove(temporary, none);
    throw;
  }
}

}  // namespace tril
