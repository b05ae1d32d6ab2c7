#include <tril/foundation/check.h>
#include <tril/model/stored_tensors.h>

#include <algorithm>
#include <span>

namespace tril::detail {

void StoredTensors::add(const std::string& name,
                        const BasicStoredParameter<const float>& parameter) {
  const auto count = static_cast<std::size_t>(parameter.count());
  parameters_.push_back(parameter);
  tensors_.push_back({name, parameter.shape, {parameter.data, count}, type_});
}

void StoredTensors::write(const Metadata& metadata, const WritePiece& write) const {
  const std::string header = safetensors_header(tensors_, metadata);
  write(std::as_bytes(std::span(header)));
  constexpr Index kFloats = 1 << 14;  // at a time
  std::vector<float> floats;
  std::vector<std::byte> bytes;
  for (const BasicStoredParameter<const float>& each : parameters_) {
    const Index rows = each.shape[0], cols = each.count() / rows;
    const Index most = std::max<Index>(1, kFloats / cols);
    for (Index first = 0; first < rows; first += most) {
      const Index count = std::min(most, rows - first);
      floats.resize(static_cast<std::size_t>(count * cols));
      bytes.resize(floats.size() * element_size(type_));
      each.copy_rows(first, count, floats.data());
      write_elements(floats, type_, bytes);
      write(bytes);
    }
  }
}

std::vector<std::byte> StoredTensors::bytes(const Metadata& metadata) const {
  std::vector<std::byte> all;
  std::size_t size = std::size_t{1} << 16;  // enough for most headers
  for (const TensorToStore& each : tensors_) size += each.elements.size() * element_size(type_);
  all.reserve(size);
  write(metadata, [&](std::span<const std::byte> piece) {
    all.insert(all.end(), piece.begin(), piece.end());
  });
  return all;
}

void check_stored(const char* call, const Safetensors& file, const std::string& prefix,
                  const std::vector<StoredParameter>& parameters) {
  for (const StoredParameter& each : parameters) {
    const std::string name = prefix + each.name;
    const StoredTensor* const tensor = file.find(name);
    if (!tensor) fail(call, name.c_str(), "is not in the file");
    if (tensor->shape == each.shape) continue;
    fail(call, name.c_str(), {"shape must be ", each.shape, ", is ", tensor->shape});
  }
}

void read_stored(const Safetensors& file, const std::string& prefix,
                 const std::vector<StoredParameter>& parameters) {
  // All memory is allocated before the first parameter is written.
  std::size_t most = 0;
  for (const StoredParameter& each : parameters) {
    most = std::max(most, static_cast<std::size_t>(each.count()));
  }
  std::vector<float> elements(most);
  for (const StoredParameter& each : parameters) {
    const std::span<float> own(elements.data(), static_cast<std::size_t>(each.count()));
    read_elements(*file.find(prefix + each.name), own);
    each.copy_from(own.data());
  }
}

}  // namespace tril::detail
