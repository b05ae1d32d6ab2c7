#include "tensor_file.h"

#include <tril/files/file.h>
#include <tril/files/npy.h>
#include <tril/foundation/error.h>

#include <algorithm>
#include <cstring>

#include "npz.h"
#include "program.h"

namespace tril::cli {
namespace {

// Runs `body`; what it finds wrong is said of the file.
template <typename Body>
auto about(const std::filesystem::path& path, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Failure(path.string() + ": " + error.problem());
  }
}

bool begins_with(const std::vector<std::byte>& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

template <typename T>
Tensor<T> read_tensor(const std::string& file, const StoredTensor& stored) {
  Tensor<T> tensor{file, stored.shape, stored.type, {}};
  if (stored.count() == 0) {
    throw Error("", "",
                "shape " + tensor.shape_text() + " has an axis of 0: there is nothing in it");
  }
  tensor.elements = Buffer<T, 1>({stored.count()});
  read_elements(stored,
                std::span(tensor.elements.data(), static_cast<std::size_t>(stored.count())));
  return tensor;
}

}  // namespace

template <typename T>
const Tensor<T>* TensorFile<T>::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(tensors, name, &std::pair<std::string, Tensor<T>>::first);
  return found == tensors.end() ? nullptr : &found->second;
}

template <typename T>
TensorFile<T> load_file(const std::filesystem::path& path, Progress& progress) {
  progress.next("reading " + path.string());
  return about(path, [&] {
    const std::vector<std::byte> bytes = read_file(path);
    TensorFile<T> file;
    if (begins_with(bytes, "PK")) {
      file.format = FileFormat::npz;
      for (const NpzEntry& each : read_npz(bytes)) {
        const std::string place = path.string() + ": " + each.name;
        file.tensors.emplace_back(
            each.name, about(place, [&] { return read_tensor<T>(place, parse_npy(each.file)); }));
      }
      return file;
    }
    if (begins_with(bytes, "\x93NUMPY") || path.extension() == ".npy") {
      file.tensors.emplace_back("", read_tensor<T>(path.string(), parse_npy(bytes)));
      return file;
    }
    file.format = FileFormat::safetensors;
    Safetensors stored = parse_safetensors(bytes);
    for (NamedTensor& each : stored.tensors) {
      const std::string place = path.string() + ": " + each.name;
      file.tensors.emplace_back(std::move(each.name),
                                about(place, [&] { return read_tensor<T>(place, each.tensor); }));
    }
    file.metadata = std::move(stored.metadata);
    return file;
  });
}

template struct TensorFile<float>;
template struct TensorFile<double>;
template TensorFile<float> load_file(const std::filesystem::path&, Progress&);
template TensorFile<double> load_file(const std::filesystem::path&, Progress&);

Tensor<float> load_npy(const std::filesystem::path& path, Progress& progress) {
  TensorFile<float> file = load_file<float>(path, progress);
  if (file.format == FileFormat::safetensors) {
    throw Failure(path.string() + ": is a .safetensors file; a .npy file is needed here");
  }
  if (file.tensors.size() != 1) {
    throw Failure(path.string() + ": holds " + std::to_string(file.tensors.size()) +
                  " arrays; one is needed here");
  }
  return std::move(file.tensors.front().second);
}

nlohmann::ordered_json save_npy(const std::filesystem::path& path, const std::vector<Index>& shape,
                                const float* elements, Progress& progress) {
  progress.next("writing " + path.string());
  about(path, [&] {
    const std::string header = npy_header(shape);
    const std::size_t bytes = *stored_bytes(shape, ElementType::float32);
    const std::span<const std::byte> pieces[] = {
        std::as_bytes(std::span(header)), {reinterpret_cast<const std::byte*>(elements), bytes}};
    write_file(path, pieces);
  });
  return {{"file", path.string()}, {"type", "float32"}, {"shape", shape}};
}

std::string saved_text(const nlohmann::ordered_json& saved) {
  std::string shape = saved["shape"].dump();
  for (std::size_t at = 0; (at = shape.find(',', at)) != shape.npos; at += 2)
    shape.insert(at + 1, " ");
  return saved["file"].get<std::string>() + ": " + saved["type"].get<std::string>() + " " + shape +
         "\n";
}

}  // namespace tril::cli
