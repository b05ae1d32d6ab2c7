// NumPy's .npz files: .zip archives of .npy files, by the library libzip where it was there to
// build with.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tril::cli {

// For --help: whether .npz is read.
extern const char* const kNpzNote;

struct NpzEntry {
  std::string name;  // without .npy
  std::vector<std::byte> file;
};

// The .npy files in an archive's bytes, in its order. Throws Error for one that cannot be read,
// before memory is taken where its sizes are not what packing could have made, and without libzip
// for all.
std::vector<NpzEntry> read_npz(std::span<const std::byte> archive);

}  // namespace tril::cli
