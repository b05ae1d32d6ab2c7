// The free memory of a system, from files in Linux' format; and requests for more than that.
#include <gtest/gtest.h>
#include <tril/foundation/free_memory.h>
#include <tril/foundation/out_of_memory.h>

#include <cstdint>
#include <new>
#include <string>

#include "core/compare.h"

#ifdef __linux__
#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"
#endif

namespace tril {
namespace {

using testing::error_of;

#ifdef __linux__

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;

class FreeMemoryTest : public ::testing::Test {
 protected:
  FreeMemoryTest() {
    write("proc/meminfo",
          "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:   8000 kB\n"
          "SwapTotal: 4000 kB\nSwapFree:        1000 kB\nHugePages_Total:       7\n");
  }
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::filesystem::path root() const { return folder_.path(); }
  std::uint64_t kibibytes() const { return detail::linux_free_memory(root()) / kKiB; }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(FreeMemoryTest, IsThatOfTheMachine) {
  EXPECT_EQ(kibibytes(), 9000u);
  write("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(kibibytes(), 9000u) << "no limit is set";
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(kibibytes(), 9000u);
  std::filesystem::remove(root() / "proc/meminfo");
  EXPECT_EQ(kibibytes(), 0u) << "nobody tells";
}

TEST_F(FreeMemoryTest, IsWhatAControlGroupLeaves) {
  write("proc/self/cgroup", "0::/a/b\n");
  const std::string group = "sys/fs/cgroup/a/b/";
  write(group + "memory.max", std::to_string(6000 * kKiB));
  write(group + "memory.current", std::to_string(5000 * kKiB));
  write(group + "memory.stat", "anon 12\ninactive_file 2048000\nactive_file 1024000\nfile 9\n");
  // 6000 - (5000 - 2000 - 1000), and all of the swap
  EXPECT_EQ(kibibytes(), 5000u);
  write(group + "memory.swap.max", std::to_string(300 * kKiB));
  write(group + "memory.swap.current", std::to_string(100 * kKiB));
  EXPECT_EQ(kibibytes(), 4200u);
  write(group + "memory.swap.max", "0");
  EXPECT_EQ(kibibytes(), 4000u);
  write("sys/fs/cgroup/a/memory.max", std::to_string(1500 * kKiB));
  write("sys/fs/cgroup/a/memory.swap.max", "0");
  EXPECT_EQ(kibibytes(), 1500u) << "a limit of the group around it";
  write("sys/fs/cgroup/a/memory.current", std::to_string(1600 * kKiB));
  EXPECT_EQ(kibibytes(), 0u);
}

TEST_F(FreeMemoryTest, KnowsTheFirstVersionOfControlGroups) {
  write("proc/self/cgroup",
        "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/7\n1:name=systemd:/\n0::/\n");
  const std::string root_group = "sys/fs/cgroup/memory/";
  write(root_group + "memory.limit_in_bytes", "9223372036854771712\n");
  write(root_group + "memory.usage_in_bytes", "123456789\n");
  EXPECT_EQ(kibibytes(), 9000u);
  // In the container the group's own folder is the root that it sees.
  write(root_group + "memory.limit_in_bytes", std::to_string(3000 * kKiB));
  write(root_group + "memory.usage_in_bytes", std::to_string(2000 * kKiB));
  write(root_group + "memory.stat", "inactive_file 1\ntotal_inactive_file 512000\n");
  EXPECT_EQ(kibibytes(), 2500u);
}

TEST(FreeMemory, IsTold) { EXPECT_GT(detail::system_free_memory(), kMiB); }

#endif

TEST(FreeMemory, IsNotAskedForWhereThereIsLess) {
  const auto message = [](double bytes, const auto& make) {
    return error_of([&] { detail::with_memory("f", "the weights take", bytes, make); });
  };
  const std::string says = "f: memory: is not enough: the weights take ";
  bool made = false;
  EXPECT_EQ(message(1e30, [&] { made = true; }).find(says + "9.53674316e+23 MiB"), 0u);
  EXPECT_FALSE(made) << "nobody has that";
  EXPECT_EQ(message(5 << 20, [] { throw std::bad_alloc(); }).find(says + "5 MiB"), 0u);
}

}  // namespace
}  // namespace tril
