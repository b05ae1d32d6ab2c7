// Any bytes as a config.json, a generation_config.json and the index of a model in parts: an Error,
// or settings that survive a round trip.
#include <tril/foundation/error.h>
#include <tril/model/pretrained.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"

using namespace tril;

namespace {

template <typename Body>
void run(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
  }
}

void require_tokens(const std::vector<std::int32_t>& tokens, Index vocabulary) {
  for (const std::int32_t each : tokens) {
    fuzz::require(each >= 0 && each < vocabulary, "tokens of the vocabulary");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  run([&] {
    const PretrainedConfig read = parse_model_config(file);
    check_model_config(read.config, "config_fuzz");
    require_tokens(read.tokens.end, read.config.vocabulary);
    const std::string text = model_config_json(read.config, ElementType::float32, read.tokens);
    const PretrainedConfig again = parse_model_config(text);
    fuzz::require(again.tokens == read.tokens, "tokens come back");
    fuzz::require(model_config_json(again.config, ElementType::float32, again.tokens) == text,
                  "settings come back");
  });
  run([&] {
    if (const auto ends = parse_generation_config(file, 100)) require_tokens(*ends, 100);
  });
  run([&] {
    for (const std::string& name : parse_shard_index(file)) {
      fuzz::require(!name.empty() && name.find('/') == name.npos, "names of files alone");
    }
  });
  return 0;
}
