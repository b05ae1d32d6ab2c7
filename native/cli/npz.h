// NumPy's .npz files: .zip archives of .npy files, by the library libzip where it was there to
// build with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tril::cli {

// For --help: whether .npz is read.
extern const char* const kNpzNote;

struct NpzEntry {
  std::string name;  // without .npy
  std::vector<std::byte> file;
  std::string problem;  // where it is no .npy file; there are no bytes then
};

// The files in an archive's bytes, in its order. Memory is taken as data comes out of it, whatever
// its list of them says. Throws Error where one cannot be unpacked, and without libzip for all.
std::vector<NpzEntry> read_npz(std::span<const std::byte> archive);

// A .npy file to be written, in pieces that are borrowed.
struct NpzMember {
  std::string name;  // without .npy
  std::span<const std::span<const std::byte>> pieces;
};

// Writes an archive of them, not packed, as numpy.savez does. Throws Error where the file cannot be
// written, and without libzip.
void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members);

}  // namespace tril::cli
