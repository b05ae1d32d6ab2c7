// NumPy's .npz files: .zip archives of .npy files. They need libzip at build time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tril::cli {

// A note for --help: whether .npz can be read.
extern const char* const kNpzNote;

struct NpzEntry {
  std::string name;  // without .npy
  std::vector<std::byte> file;
  std::string problem;  // why it is not a .npy file; then `file` is empty
};

// The files of an archive, in its order. Memory is taken as data is unpacked, whatever sizes the
// archive's list states. Throws Error where a file cannot be unpacked, and always without libzip.
std::vector<NpzEntry> read_npz(std::span<const std::byte> archive);

// A .npy file to write, in borrowed pieces.
struct NpzMember {
  std::string name;  // without .npy
  std::span<const std::span<const std::byte>> pieces;
};

// Writes an uncompressed archive, as numpy.savez does. Throws Error where the file cannot be
// written, and without libzip.
void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members);

}  // namespace tril::cli
