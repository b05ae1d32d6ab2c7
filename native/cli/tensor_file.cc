#include "tensor_file.h"

#include <tril/files/file.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/npy.h>
#include <tril/foundation/error.h>

#include <algorithm>
#include <cstring>

#include "npz.h"
#include "program.h"

namespace tril::cli {
namespace {

// Runs `body` and adds the file's name to its errors.
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

namespace {

// Reads the arrays of a .npy file, which may be the entry `entry` of an archive.
template <typename T>
void read_npy(const std::string& path, const std::string& entry, std::span<const std::byte> bytes,
              TensorFile<T>& file) {
  const std::vector<StoredTensor> arrays = parse_npy_arrays(bytes);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    std::string name = entry;
    if (arrays.size() > 1) name += (entry.empty() ? "arr_" : ".arr_") + std::to_string(i);
    const std::string place = name.empty() ? path : path + ": " + name;
    file.tensors.emplace_back(std::move(name), read_tensor<T>(place, arrays[i]));
  }
}

template <typename T>
void read_archive(const std::string& path, std::span<const std::byte> bytes, TensorFile<T>& file) {
  std::string first_problem;
  for (const auto& [name, entry, why] : read_npz(bytes)) {
    std::string problem = why, said = why;
    if (why.empty()) {
      try {
        read_npy(path, name, entry, file);
        continue;
      } catch (const Error& error) {
        problem = error.problem();
        said = name + ": " + problem;
      }
    }
    if (first_problem.empty()) first_problem = said;
    file.unread.emplace_back(name, problem);
  }
  if (!file.tensors.empty() || first_problem.empty()) return;
  const std::string_view known =
      detail::known_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  throw Error("", "", known.empty() ? first_problem : std::string(known));
}

}  // namespace

template <typename T>
TensorFile<T> load_file(const std::filesystem::path& path, Progress& progress) {
  progress.next("reading " + path.string());
  return about(path, [&] {
    const std::vector<std::byte> bytes = read_file(path);
    TensorFile<T> file;
    if (begins_with(bytes, "PK")) {
      file.format = FileFormat::npz;
      read_archive(path.string(), bytes, file);
      return file;
    }
    if (begins_with(bytes, "\x93NUMPY") || path.extension() == ".npy") {
      read_npy(path.string(), "", bytes, file);
      return file;
    }
    file.format = FileFormat::safetensors;
    std::vector<UnreadTensor> unread;
    Safetensors stored = parse_safetensors(bytes, &unread);
    if (stored.tensors.empty() && !unread.empty()) {
      throw Error("", "", unread.front().name + ": " + unread.front().problem);
    }
    for (UnreadTensor& each : unread) {
      file.unread.emplace_back(std::move(each.name), std::move(each.problem));
    }
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
