// A lock that allows one run at a time in a folder.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

namespace tril::cli {

// Held from construction to destruction. The system releases it when the process ends, however it
// ends.
class RunLock {
 public:
  // Throws Failure, naming the folder and the process, where another process holds the lock, and
  // where the folder cannot be written to. A file system without locks is trusted.
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;  // contains "1234 on node7": the process and its machine
};

}  // namespace tril::cli
