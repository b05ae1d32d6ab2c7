// Files on disk are written completely or not at all.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/foundation/out_of_memory.h>

#if !defined(__EMSCRIPTEN__) && !defined(_WIN32)
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/temporary_folder.h"

namespace tril {
namespace {

namespace fs = std::filesystem;
using testing::error_of;

class FileTest : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void write(const fs::path& path, const std::vector<std::string>& texts) {
    std::vector<std::span<const std::byte>> pieces;
    for (const std::string& text : texts) pieces.push_back(std::as_bytes(std::span(text)));
    write_file(path, pieces);
  }
  static std::string read(const fs::path& path) {
    const std::vector<std::byte> bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(FileTest, WritesPiecesAndReadsThemBack) {
  const fs::path path = folder_ / "a.bin";
  const std::string large(300'000, 'x');
  write(path, {"one ", "", large});
  EXPECT_EQ(read(path), "one " + large);
  write(path, {});
  EXPECT_EQ(read(path), "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, ReplacesTheWholeOfAnOldFile) {
  const fs::path path = folder_ / "a.bin";
  write(path, {"something long"});
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write(path, {"new"});
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, WritesPiecesThatAreMadeOneByOne) {
  const fs::path path = folder_ / "a.bin";
  write_file(path, [](const WritePiece& piece) {
    for (const std::string text : {"one ", "", "two"}) piece(std::as_bytes(std::span(text)));
  });
  EXPECT_EQ(read(path), "one two");
  const auto half = [](const WritePiece& piece) {
    const std::string text = "half";
    piece(std::as_bytes(std::span(text)));
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_file(path, half), std::runtime_error);
  EXPECT_EQ(read(path), "one two");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, IsNamedInAnyAlphabet) {
  const fs::path path = folder_ / u8"größe-हि.npy";
  write(path, {"first"});
  write(path, {"second"});
  EXPECT_EQ(read(path), "second");
  // Not EXPECT_EQ: GoogleTest versions before C++20 do not print char8_t.
  EXPECT_TRUE(fs::directory_iterator(folder_)->path().filename().u8string() == u8"größe-हि.npy");
}

TEST_F(FileTest, IsReplacedWhileSomebodyReadsIt) {
  const fs::path path = folder_ / "a.bin";
  write(path, {"old"});
  {
    FileReader reader(path);
    write(path, {"newer"});
    EXPECT_EQ(read(path), "newer");
    std::string old(3, ' ');
    reader.read(0, std::as_writable_bytes(std::span(old)));
    EXPECT_EQ(old, "old");
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, WritesThroughALink) {
  const fs::path path = folder_ / "a.bin", link = folder_ / "link";
  write(path, {"old"});
  fs::create_symlink("a.bin", link);
  write(link, {"new"});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(path), "new");
}

TEST_F(FileTest, LeavesOthersFilesAlone) {
  const fs::path path = folder_ / "a.bin", other = folder_ / "a.bin.part0";
  std::ofstream(other) << "somebody else's";
  write(path, {"new"});
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(read(other), "somebody else's");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FileTest, SaysWhatTheSystemSays) {
  EXPECT_EQ(error_of([&] { read_file(folder_ / "none"); }),
            "read_file: path: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(folder_); }), "read_file: path: Is a directory");
  EXPECT_EQ(error_of([&] { write(folder_ / "none" / "a.bin", {"x"}); }),
            "write_file: path: No such file or directory");
  EXPECT_EQ(error_of([&] { write(folder_, {"x"}); }), "write_file: path: Is a directory");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileTest, ReadsParts) {
  const fs::path path = folder_ / "a.bin";
  write(path, {"0123456789"});
  FileReader file(path);
  EXPECT_EQ(file.size(), 10u);
  const auto part = [&](std::size_t begin, std::size_t size) {
    std::string text(size, ' ');
    file.read(begin, std::as_writable_bytes(std::span(text)));
    return text;
  };
  EXPECT_EQ(part(7, 3), "789");
  EXPECT_EQ(part(0, 2), "01");
  EXPECT_EQ(part(10, 0), "");
  EXPECT_EQ(error_of([&] { part(8, 3); }),
            "FileReader::read: begin: byte 8 and 3 bytes end after the end of the file");
  EXPECT_NE(error_of([&] { part(11, 0); }), "");
  EXPECT_EQ(part(4, 2), "45");
  fs::resize_file(path, 5);
  EXPECT_EQ(error_of([&] { part(4, 2); }), "FileReader::read: path: has become shorter");
  EXPECT_EQ(error_of([&] { FileReader(folder_ / "none"); }),
            "FileReader: path: No such file or directory");
  EXPECT_EQ(error_of([&] { FileReader{folder_}; }), "FileReader: path: Is a directory");
}

#ifndef __EMSCRIPTEN__
// A writer that begins while another one writes the same file leaves its temporary file alone.
TEST_F(FileTest, LeavesAlivesUnfinishedFileAlone) {
  const fs::path path = folder_ / "a.bin";
  write_file(path, [&](const WritePiece& piece) {
    const std::string text = "slow";
    piece(std::as_bytes(std::span(text)).first(2));
    write(path, {"quick"});
    EXPECT_EQ(read(path), "quick");
    EXPECT_EQ(entries(), 2u);
    piece(std::as_bytes(std::span(text)).subspan(2));
  });
  EXPECT_EQ(read(path), "slow");
  EXPECT_EQ(entries(), 1u);
}

#endif

#if !defined(__EMSCRIPTEN__) && !defined(_WIN32)
// Writers that end without cleaning up, as in a power failure.
TEST_F(FileTest, RemovesWhatTheDeadHaveLeft) {
  const fs::path path = folder_ / "a.bin";
  write(path, {"old"});
  for (int n = 0; n < 2; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      write_file(path, [&](const WritePiece& piece) {
        const std::string text(100'000, 'x');
        piece(std::as_bytes(std::span(text)));
        if (n == 0) raise(SIGKILL);
        // This writer removed the temporary file of the first; another one dies while it runs.
        const pid_t another = fork();
        if (another == 0) write_file(path, [](const WritePiece&) { raise(SIGKILL); });
        waitpid(another, nullptr, 0);
        raise(SIGKILL);
      });
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(entries(), n == 0 ? 2u : 3u);
    EXPECT_EQ(read(path), "old");
  }
  std::ofstream(folder_ / "b.bin.tril-part0") << "of another file";
  write(path, {"new"});
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(entries(), 2u);
}

#endif

#ifdef __linux__
std::vector<std::string> synced;  // the files for which fsync was called, which this file replaces

// A new name is only durable once its folder is synced.
TEST_F(FileTest, SyncsTheFileAndThenTheFolder) {
  const fs::path path = folder_ / "a.bin";
  synced.clear();
  write(path, {"x"});
  EXPECT_EQ(synced, (std::vector<std::string>{"file a.bin.tril-part0", "folder with a.bin"}));
}
#endif

#ifndef __EMSCRIPTEN__
// A sparse terabyte, which takes no room on disk but would in memory.
TEST_F(FileTest, LargerThanMemoryIsRefused) {
  const fs::path path = folder_ / "huge.bin";
  write(path, {"x"});
  std::error_code error;
  fs::resize_file(path, std::uintmax_t{1} << 40, error);
  if (error) GTEST_SKIP() << "no sparse files here";
  try {
    read_file(path);
    FAIL() << "was read";
  } catch (const OutOfMemory& thrown) {
    EXPECT_EQ(thrown.call(), "read_file");
    EXPECT_GE(thrown.needed(), 0x1p40);
  }
}

TEST_F(FileTest, WritesToWhatIsNoRegularFile) {
  write("/dev/null", {"gone"});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(error_of([] { read_file("/dev/zero"); }),
            "read_file: path: is a device, which has no end");
  // Every write to it fails.
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(error_of([] { write("/dev/full", {"x"}); }),
              "write_file: path: No space left on device");
  }
}
#endif

}  // namespace
}  // namespace tril

#ifdef __linux__
extern "C" int fsync(int number) {
  namespace fs = std::filesystem;
  const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(number));
  tril::synced.push_back(!fs::is_directory(path)      ? "file " + path.filename().string()
                         : fs::exists(path / "a.bin") ? "folder with a.bin"
                                                      : "folder");
  return 0;
}
#endif
