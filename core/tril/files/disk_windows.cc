#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <fcntl.h>
#include <io.h>
#include <tril/files/disk.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <string>

namespace tril::detail {
namespace {

// Windows errors of file operations as errno values.
int errno_of(DWORD error) noexcept {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      return ENOENT;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      return EACCES;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    default:
      return EIO;
  }
}

struct Closing {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const noexcept { CloseHandle(handle); }
};
using Handle = std::unique_ptr<HANDLE, Closing>;

HANDLE open_handle(const std::filesystem::path& path, DWORD access, DWORD creation) noexcept {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE handle =
      CreateFileW(path.c_str(), access, kShared, nullptr, creation, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) errno = errno_of(GetLastError());
  return handle;
}

// Gives the new name to the file itself, so that a reader of the old file can read on, as on POSIX:
// since Windows 10. winbase.h calls this FILE_RENAME_INFO, with flags.
struct Rename {
  DWORD flags;
  HANDLE folder;
  DWORD bytes;
  wchar_t name[32768];
};
constexpr int kFileRenameInfoEx = 22;
constexpr DWORD kReplace = 1, kPosixSemantics = 2;

bool rename_open_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  try {
    const std::wstring name = std::filesystem::absolute(to).wstring();
    const auto rename = std::make_unique<Rename>();
    if (name.size() >= std::size(rename->name)) return false;
    rename->flags = kReplace | kPosixSemantics;
    rename->bytes = static_cast<DWORD>(name.size() * sizeof(wchar_t));
    std::copy(name.begin(), name.end(), rename->name);
    const HANDLE handle = open_handle(from, DELETE | SYNCHRONIZE, OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE) return false;
    const Handle owner(handle);
    return SetFileInformationByHandle(handle,
                                      static_cast<FILE_INFO_BY_HANDLE_CLASS>(kFileRenameInfoEx),
                                      rename.get(), sizeof(Rename));
  } catch (...) {
    return false;
  }
}

}  // namespace

std::FILE* open_file(const std::filesystem::path& path, Open how) noexcept {
  constexpr DWORD kCreations[] = {OPEN_EXISTING, CREATE_ALWAYS, CREATE_NEW, OPEN_ALWAYS};
  const bool reads = how == Open::read;
  const HANDLE handle = open_handle(path,
                                    reads                 ? GENERIC_READ
                                    : how == Open::update ? GENERIC_READ | GENERIC_WRITE
                                                          : GENERIC_WRITE,
                                    kCreations[static_cast<int>(how)]);
  if (handle == INVALID_HANDLE_VALUE) return nullptr;
  const int number = _open_osfhandle(reinterpret_cast<intptr_t>(handle),
                                     _O_BINARY | (reads                 ? _O_RDONLY
                                                  : how == Open::update ? _O_RDWR
                                                                        : _O_WRONLY));
  if (number < 0) {
    CloseHandle(handle);
    return nullptr;
  }
  std::FILE* const file = _fdopen(number, reads ? "rb" : how == Open::update ? "r+b" : "wb");
  if (!file) _close(number);
  return file;
}

// Locks one byte far beyond the end: a lock on existing bytes would keep others from reading them.
Lock lock_file(std::FILE* file) noexcept {
  OVERLAPPED at = {};
  at.OffsetHigh = 0x7fffffff;
  const HANDLE handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
  if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)) {
    return Lock::taken;
  }
  return GetLastError() == ERROR_LOCK_VIOLATION ? Lock::held : Lock::unknown;
}

bool leads_to(const std::filesystem::path& path, std::FILE* file) noexcept {
  const HANDLE found = open_handle(path, 0, OPEN_EXISTING);
  if (found == INVALID_HANDLE_VALUE) return false;
  const Handle owner(found);
  BY_HANDLE_FILE_INFORMATION there, here;
  return GetFileInformationByHandle(found, &there) &&
         GetFileInformationByHandle(reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file))),
                                    &here) &&
         there.dwVolumeSerialNumber == here.dwVolumeSerialNumber &&
         there.nFileIndexHigh == here.nFileIndexHigh && there.nFileIndexLow == here.nFileIndexLow;
}

bool flush_to_disk(std::FILE* file) noexcept {
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
}

bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  if (rename_open_file(from, to)) return true;
  constexpr DWORD kFlags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (MoveFileExW(from.c_str(), to.c_str(), kFlags)) return true;
  // Before Windows 10: also replaces a file that is being read.
  if (ReplaceFileW(to.c_str(), from.c_str(), nullptr, 0, nullptr, nullptr)) return true;
  errno = errno_of(GetLastError());
  return false;
}

// The rename itself was written through.
bool flush_folder(const std::filesystem::path&) noexcept { return true; }

std::string this_process() {
  char machine[MAX_COMPUTERNAME_LENGTH + 1] = "";
  DWORD size = sizeof machine;
  GetComputerNameA(machine, &size);
  return std::to_string(GetCurrentProcessId()) + " on " + machine;
}

}  // namespace tril::detail
