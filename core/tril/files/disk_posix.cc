#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tril/files/disk.h>
#include <unistd.h>

#include <cerrno>

namespace tril::detail {

std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept {
  const char* const modes[] = {"rb", "wb", "wbx"};
  if (how != Open::update) return std::fopen(path.c_str(), modes[static_cast<int>(how)]);
  const int number = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  std::FILE* const file = number < 0 ? nullptr : fdopen(number, "r+b");
  if (!file && number >= 0) close(number);
  return file;
}

Lock lock_file(std::FILE* file) noexcept {
  int failed = 0;
  while ((failed = flock(fileno(file), LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) continue;
  if (failed == 0) return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::held : Lock::unknown;
}

bool leads_to(const std::filesystem::path& path, std::FILE* file) noexcept {
  struct stat there, here;
  return stat(path.c_str(), &there) == 0 && fstat(fileno(file), &here) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

bool flush_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

bool flush_folder(const std::filesystem::path& folder) noexcept {
  const int number =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return true;  // a folder that may be written but not read
  const bool failed = fsync(number) != 0 && errno == EIO;  // else it is not supported
  const int error = errno;
  close(number);
  errno = error;
  return !failed;
}

std::string this_process() {
  char machine[256] = "";
  gethostname(machine, sizeof machine - 1);
  return std::to_string(getpid()) + " on " + machine;
}

}  // namespace tril::detail
