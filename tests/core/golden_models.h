// The small random models of tests/golden/make_models.py, and folders like theirs.
#pragma once

#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/parameter_writer.h>
#include <tril/model/pretrained.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"
#include "core/temporary_folder.h"

namespace tril::testing {

inline std::filesystem::path folder_of(const std::string& name) {
  return std::filesystem::path(kGoldenFolder) / "models" / name;
}

// The settings of a golden model with one text of the file replaced.
inline std::string changed(const std::string& from, const std::string& to,
                           const std::string& name = "llama") {
  const std::vector<std::byte> bytes = read_file(folder_of(name) / "config.json");
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

// The file that ParameterWriter writes.
inline std::vector<std::byte> written(const ModelParameters& parameters) {
  const ParameterWriter writer(parameters);
  std::vector<std::byte> file;
  writer.write([&](std::span<const std::byte> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  EXPECT_EQ(file.size(), writer.size());
  return file;
}

// A new folder with a copy of a golden model.
class Copied {
 public:
  explicit Copied(const std::string& name) { std::filesystem::copy(folder_of(name), path()); }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::string at(const std::string& name) const { return (path() / name).string(); }
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    write_file(path() / name, {&bytes, 1});
  }
  void write(const std::string& name, const std::string& text) const {
    write(name, std::as_bytes(std::span(text)));
  }
  // Replaces a text in the header of model.safetensors, at each of its occurrences.
  void change_header(const std::string& from, const std::string& to, int most = 1000) const {
    constexpr std::size_t kSize = 8;
    const std::vector<std::byte> bytes = read_file(path() / "model.safetensors");
    std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::uint64_t size = 0;
    std::memcpy(&size, file.data(), kSize);
    std::string header = file.substr(kSize, size);
    for (std::size_t at = 0; most-- > 0 && (at = header.find(from, at)) != header.npos;) {
      header.replace(at, from.size(), to);
      at += to.size();
    }
    header.resize((header.size() + kSize - 1) / kSize * kSize, ' ');
    file.replace(kSize, size, header);
    size = header.size();
    std::memcpy(file.data(), &size, kSize);
    write("model.safetensors", file);
  }
  // The error message without the call.
  std::string refused() const {
    const std::string message = error_of([&] { read_pretrained(path()); });
    EXPECT_TRUE(message.starts_with("read_pretrained: ")) << message;
    return message.substr(std::string("read_pretrained: ").size());
  }
  bool is_read() const {
    read_pretrained(path());
    return true;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace tril::testing
