// Tensors, and the files they are read from and written to. Every failure names the file.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/files/stored_tensor.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/tensor.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "progress.h"

namespace tril::cli {

// A tensor of any rank without gaps.
template <typename T>
struct Tensor {
  std::string file;  // its origin, for messages
  std::vector<Index> shape;
  ElementType type = ElementType::float32;  // in the file
  Buffer<T, 1> elements;

  int rank() const noexcept { return static_cast<int>(shape.size()); }
  std::string shape_text() const { return tril::shape_text(shape.data(), rank()); }
};

enum class FileFormat { npy, npz, safetensors };

// All tensors of a file by name, read as T; the only array of a .npy file is named "".
template <typename T>
struct TensorFile {
  std::vector<std::pair<std::string, Tensor<T>>> tensors;
  std::vector<std::pair<std::string, std::string>> unread;  // names of unread tensors, and why
  Metadata metadata;
  FileFormat format = FileFormat::npy;

  // Whether the file is one unnamed array.
  bool is_npy() const noexcept { return format == FileFormat::npy && tensors.size() == 1; }
  const Tensor<T>* find(std::string_view name) const noexcept;
};

// Reads .npy, .npz and .safetensors, told apart by their first bytes. Several arrays in a .npy file
// are named arr_0 and so on, as numpy.savez does. Throws Failure, with the first tensor's problem,
// where nothing in a file can be read.
template <typename T>
TensorFile<T> load_file(const std::filesystem::path& path, Progress& progress);

// The only array of a .npy file, or of a .npz archive with one array.
Tensor<float> load_npy(const std::filesystem::path& path, Progress& progress);

// Writes a float32 .npy file; see write_file. Returns a report.
nlohmann::ordered_json save_npy(const std::filesystem::path& path, const std::vector<Index>& shape,
                                const float* elements, Progress& progress);

// "out.npy: float32 [2, 3]", from that report.
std::string saved_text(const nlohmann::ordered_json& saved);

}  // namespace tril::cli
