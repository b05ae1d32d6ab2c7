#include "run_lock.h"

#include <tril/files/disk.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "program.h"

namespace tril::cli {
namespace {

// The owner is written just after the lock is taken.
std::string holder(std::FILE* file) {
  char text[300] = "";
  for (int n = 0; n < 50; ++n) {
    std::rewind(file);
    const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
    if (size > 0) return {text, size};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return "that says nothing of itself";
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& folder) : path_(folder / ".lock") {
  do {
    file_.reset(detail::open_file(path_, detail::Open::update));
    if (!file_) throw Failure(path_.string() + ": " + std::generic_category().message(errno));
    if (detail::lock_file(file_.get()) == detail::Lock::held) {
      throw Failure(folder.string() + ": process " + holder(file_.get()) +
                    " trains in this folder; it must end first");
    }
  } while (!detail::leads_to(path_, file_.get()));  // its last owner has just removed it
  std::error_code none;
  std::filesystem::resize_file(path_, 0, none);
  std::fputs(detail::this_process().c_str(), file_.get());
  std::fflush(file_.get());
}

RunLock::~RunLock() {
  std::error_code none;
  std::filesystem::remove(path_, none);
}

}  // namespace tril::cli
