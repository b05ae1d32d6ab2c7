// Any bytes as a GGUF file: an Error, or values and tensors within the file, the same for any
// amount of bytes at first, and settings and a tokenizer, or an Error.
#include <tril/foundation/error.h>
#include <tril/model/gguf_config.h>
#include <tril/model/sentence_encoder.h>
#include <tril/text/gguf_tokenizer.h>

#include <cstdint>
#include <span>
#include <string>

#include "require.h"

using namespace tril;

namespace {

template <typename Body>
bool runs(const Body& body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  Gguf gguf;
  const bool is_read = runs([&] { gguf = parse_gguf_header(file, size); });
  runs([&] {
    std::size_t have = std::min<std::size_t>(4, size), needed = 0;
    while ((needed = gguf_begin(file.first(have), size)) > have) {
      fuzz::require(needed <= size, "no more than there is");
      have = needed;
    }
    fuzz::require(is_read, "what is read piece by piece is read as a whole");
    fuzz::require(parse_gguf_header(file.first(have), size).tensors.size() == gguf.tensors.size(),
                  "the same tensors");
  });
  for (const NamedTensor& each : gguf.tensors) {
    const std::size_t bytes = *stored_bytes(each.tensor.shape, each.tensor.type);
    fuzz::require(bytes <= size && each.begin <= size - bytes, "tensors within the file");
  }
  runs([&] {
    if (const auto tokenizer = parse_gguf_tokenizer(gguf)) tokenizer->encode("a text <s> \xff");
  });
  runs([&] { parse_gguf_config(gguf); });
  runs([&] { parse_sentence_settings(gguf); });
  return 0;
}
