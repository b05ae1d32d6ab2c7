#include "model_folder.h"

#include <utility>

#include "progress.h"

namespace tril::cli {

void ModelFolder::add_to(CLI::App& command) {
  command
      .add_option(
          "--model", path,
          "Folder with config.json, model.safetensors and tokenizer.json: of `tril train`, "
          "or from Hugging Face, of a family such as GPT-2, Llama, Mistral or BERT; or a .gguf "
          "file of F32, F16, BF16 or Q8_0")
      ->required()
      ->type_name("FOLDER");
  command
      .add_option("--lora", lora,
                  "Folder of an adapter to merge, adapter_config.json and "
                  "adapter_model.safetensors: RUN/adapter of `tril train --lora`, or PEFT's")
      ->type_name("FOLDER");
  command
      .add_option("--context", context,
                  "The most tokens at once (default: as the model says); `dynamic` scaling turns "
                  "positions as for a text of that length")
      ->check(in_range(1, 1 << 24))
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--weights", [this](const std::string&) { weights = ParameterMemory::q8_0; },
          "q8_0: hold matrices in 8 bits a number, with a scale for each 32 (default: as the "
          "files have them)")
      ->check(CLI::IsMember({"q8_0"}))
      ->option_text("TYPE");
}

namespace {

// Calls read(options) and shows its progress as a bar.
template <typename Read>
auto with_progress(const ModelFolder& folder, const Read& read) {
  Progress progress(3);
  std::string file;
  const auto tell = [&](const ReadProgress& now) {
    const bool is_next = std::exchange(file, now.path) != now.path;
    if (now.all > 0) {
      progress.at(static_cast<double>(now.read) / static_cast<double>(now.all), "reading " + file);
    } else if (is_next) {
      progress.next("reading " + file);
    }
  };
  return read(PretrainedOptions{
      .context = folder.context, .weights = folder.weights, .lora = folder.lora, .progress = tell});
}

}  // namespace

PretrainedModel ModelFolder::read() const {
  return with_progress(*this, [&](const auto& options) { return read_pretrained(path, options); });
}

SentenceEncoder ModelFolder::read_encoder() const {
  return with_progress(*this,
                       [&](const auto& options) { return read_sentence_encoder(path, options); });
}

const Tokenizer& ModelFolder::tokenizer_of(const PretrainedModel& model) const {
  if (model.tokenizer) return *model.tokenizer;
  throw Failure(
      path + (path.ends_with(".gguf")
                  ? ": there is no tokenizer in it"
                  : ": there is no tokenizer.json, nor vocab.txt, nor vocab.json with merges.txt"));
}

}  // namespace tril::cli
