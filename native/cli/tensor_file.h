// Tensors and the files they come from and go to. Every failure names the file.
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

// Of any rank, without gaps.
template <typename T>
struct Tensor {
  std::string file;  // where it is from, for messages
  std::vector<Index> shape;
  ElementType type = ElementType::float32;  // in the file
  Buffer<T, 1> elements;

  int rank() const noexcept { return static_cast<int>(shape.size()); }
  std::string shape_text() const { return tril::shape_text(shape.data(), rank()); }
};

enum class FileFormat { npy, npz, safetensors };

// All that a file holds, read as T, under its names; a .npy file's one array is named "".
template <typename T>
struct TensorFile {
  std::vector<std::pair<std::string, Tensor<T>>> tensors;
  std::vector<std::pair<std::string, std::string>> unread;  // names of what is not read, and why
  Metadata metadata;
  FileFormat format = FileFormat::npy;

  // Whether it is one array without a name.
  bool is_npy() const noexcept { return format == FileFormat::npy && tensors.size() == 1; }
  const Tensor<T>* find(std::string_view name) const noexcept;
};

// .npy, .npz and .safetensors are told apart by their first bytes. Several arrays in a .npy file
// are named as numpy.savez does, arr_0 and so on. Throws Failure, in the words for the first one,
// where nothing in a file can be read.
template <typename T>
TensorFile<T> load_file(const std::filesystem::path& path, Progress& progress);

// The one array of a .npy file, or of a .npz archive that has but one.
Tensor<float> load_npy(const std::filesystem::path& path, Progress& progress);

// As .npy, float32; see write_file. Returns the report on it.
nlohmann::ordered_json save_npy(const std::filesystem::path& path, const std::vector<Index>& shape,
                                const float* elements, Progress& progress);

// "out.npy: float32 [2, 3]", from the report.
std::string saved_text(const nlohmann::ordered_json& saved);

}  // namespace tril::cli
