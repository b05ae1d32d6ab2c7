// Any bytes: an Error or an array, whose elements lie inside the file and survive a round trip.
#include <tril/files/npy.h>
#include <tril/foundation/error.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "require.h"

using namespace tril;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  StoredTensor tensor;
  try {
    const std::vector<StoredTensor> arrays = parse_npy_arrays(std::as_bytes(std::span(data, size)));
    std::size_t all = 0;
    for (const StoredTensor& each : arrays) all += each.bytes.size();
    fuzz::require(all < size, "arrays do not overlap");
    tensor = arrays.back();
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
    return 0;
  }
  const auto count = static_cast<std::size_t>(tensor.count());
  fuzz::require(count <= size, "no more elements than bytes");
  std::vector<float> elements(count);
  std::vector<double> doubles(count);
  read_elements(tensor, std::span(elements));
  read_elements(tensor, std::span(doubles));

  // Halves stay halves, bit for bit; other types become float32, for which axes next to one of 0
  // may be too large.
  const ElementType type =
      tensor.type == ElementType::float16 ? ElementType::float16 : ElementType::float32;
  if (!stored_bytes(tensor.shape, type)) {
    fuzz::require(count == 0, "what has elements can be written");
    return 0;
  }
  const std::vector<std::byte> file = npy_bytes(tensor.shape, elements, type);
  const StoredTensor again = parse_npy(file);
  fuzz::require(again.shape == tensor.shape, "the shape comes back");
  std::vector<float> copies(count);
  read_elements(again, std::span(copies));
  fuzz::require(count == 0 || std::memcmp(copies.data(), elements.data(), 4 * count) == 0,
                "the elements come back");
  return 0;
}
