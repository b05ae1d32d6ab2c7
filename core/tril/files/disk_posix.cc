#include <tril/files/disk.h>
#include <unistd.h>

namespace tril::detail {

std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept {
  const char* const modes[] = {"rb", "wb", "wbx"};
  return std::fopen(path.c_str(), modes[static_cast<int>(how)]);
}

bool flush_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace tril::detail
