// Lines "name=value" replace entries in a checkpoint's metadata; a name alone removes one: an
// Error, or settings that survive a round trip. For language models and for encoder-decoders.
#include <tril/foundation/error.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"

using namespace tril;

namespace {

void change(Metadata& metadata, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t sign = line.find('=');
    const std::string name(line.substr(0, sign));
    if (sign == line.npos) {
      metadata.erase(name);
    } else {
      metadata[name] = line.substr(sign + 1);
    }
  }
}

template <typename Config, typename Read>
void run(const Config& usual, std::string_view lines, const Read& read) {
  try {
    Safetensors file;
    file.metadata = checkpoint_settings(usual, TrainerOptions());
    file.metadata["trainer.done"] = "3";
    change(file.metadata, lines);
    const auto checkpoint = read(file);
    const Metadata written = checkpoint_settings(checkpoint.config, checkpoint.options);
    file.metadata = written;
    file.metadata["trainer.done"] = std::to_string(checkpoint.steps);
    const auto again = read(file);
    fuzz::require(checkpoint_settings(again.config, again.options) == written, "it comes back");
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view lines(reinterpret_cast<const char*>(data), size);
  ModelConfig config;
  config.vocabulary = 9;
  run(config, lines, [](const auto& f) { return read_checkpoint(f); });
  run(EncoderDecoderConfig(), lines,
      [](const auto& f) { return read_encoder_decoder_checkpoint(f); });
  return 0;
}
