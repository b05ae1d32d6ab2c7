// Any bytes: an Error or tensors, each inside the file, which survive a round trip.
#include <tril/files/safetensors.h>
#include <tril/foundation/error.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "require.h"

using namespace tril;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Safetensors stored;
  try {
    stored = parse_safetensors(std::as_bytes(std::span(data, size)));
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
    return 0;
  }
  std::vector<std::vector<float>> elements;
  std::vector<TensorToStore> tensors;
  elements.reserve(stored.tensors.size());
  for (const auto& [name, tensor, begin] : stored.tensors) {
    std::vector<float>& each = elements.emplace_back(static_cast<std::size_t>(tensor.count()));
    read_elements(tensor, std::span(each));
    // Halves keep their type, bit for bit.
    const bool is_half =
        tensor.type == ElementType::float16 || tensor.type == ElementType::bfloat16;
    const ElementType type = is_half ? tensor.type : ElementType::float32;
    tensors.push_back({name, tensor.shape, each, type});
  }
  const std::vector<std::byte> file = safetensors_bytes(tensors, stored.metadata);
  const Safetensors again = parse_safetensors(file);
  fuzz::require(again.metadata == stored.metadata, "the metadata comes back");
  fuzz::require(again.tensors.size() == tensors.size(), "no tensor is lost");
  for (std::size_t n = 0; n < tensors.size(); ++n) {
    const auto& [name, tensor, begin] = again.tensors[n];
    fuzz::require(name == tensors[n].name && tensor.shape == tensors[n].shape,
                  "names and shapes come back");
    std::vector<float> copies(elements[n].size());
    read_elements(tensor, std::span(copies));
    fuzz::require(
        copies.empty() || std::memcmp(copies.data(), elements[n].data(), 4 * copies.size()) == 0,
        "the elements come back");
  }
  return 0;
}
