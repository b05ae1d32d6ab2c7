#include <tril/foundation/check.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

// Rows [first, first + count) of a matrix as the file has it.
void copy_rows(const StoredParameter& each, Index first, Index count, float* to) noexcept {
  const Index rows = each.shape[0], cols = each.shape.size() > 1 ? each.shape[1] : 1;
  if (!each.transposed) {
    std::copy_n(each.data + first * cols, count * cols, to);
    return;
  }
  for (Index m = 0; m < cols; ++m) {
    for (Index n = 0; n < count; ++n) to[n * cols + m] = each.data[m * rows + first + n];
  }
}

// Tensors to be written, piece by piece: none is in memory twice.
class Stored {
 public:
  void add(const std::string& prefix, const std::vector<StoredParameter>& parameters) {
    for (const StoredParameter& each : parameters) {
      parameters_.push_back(each);
      tensors_.push_back(
          {prefix + each.name, each.shape, {each.data, static_cast<std::size_t>(each.count())}});
    }
  }
  void write(const Metadata& metadata, const WritePiece& write) const {
    const std::string header = safetensors_header(tensors_, metadata);
    write(std::as_bytes(std::span(header)));
    constexpr Index kFloats = 1 << 14;  // at a time: 64 KiB
    std::vector<float> floats;
    std::vector<std::byte> bytes;
    for (const StoredParameter& each : parameters_) {
      const Index rows = each.shape[0], cols = each.count() / rows;
      const Index most = std::max<Index>(1, kFloats / cols);
      for (Index first = 0; first < rows; first += most) {
        const Index count = std::min(most, rows - first);
        floats.resize(static_cast<std::size_t>(count * cols));
        bytes.resize(floats.size() * sizeof(float));
        copy_rows(each, first, count, floats.data());
        write_elements(floats, ElementType::float32, bytes);
        write(bytes);
      }
    }
  }
  std::vector<std::byte> bytes(const Metadata& metadata) const {
    std::vector<std::byte> all;
    std::size_t size = std::size_t{1} << 16;  // a header mostly has less
    for (const TensorToStore& each : tensors_) size += each.elements.size() * sizeof(float);
    all.reserve(size);
    write(metadata, [&](std::span<const std::byte> piece) {
      all.insert(all.end(), piece.begin(), piece.end());
    });
    return all;
  }

 private:
  std::vector<StoredParameter> parameters_;
  std::vector<TensorToStore> tensors_;  // of those: names, shapes and sizes
};

// Throws unless the file has all of them.
void check_all(const char* call, const Safetensors& file, const std::string& prefix,
               const std::vector<StoredParameter>& parameters) {
  for (const StoredParameter& each : parameters) {
    const std::string name = prefix + each.name;
    const StoredTensor* const tensor = file.find(name);
    if (!tensor) fail(call, name.c_str(), "is not in the file");
    if (tensor->shape == each.shape) continue;
    fail(call, name.c_str(), {"shape must be ", each.shape, ", is ", tensor->shape});
  }
}

void read_all(const Safetensors& file, const std::string& prefix,
              const std::vector<StoredParameter>& parameters) {
  std::vector<float> elements;
  for (const StoredParameter& each : parameters) {
    elements.resize(static_cast<std::size_t>(each.count()));
    read_elements(*file.find(prefix + each.name), std::span<float>(elements));
    each.copy_from(elements.data());
  }
}

constexpr const char* kFirst = "first_moment.";
constexpr const char* kSecond = "second_moment.";

}  // namespace

namespace {

Stored model_tensors(const LanguageModel& model) {
  Stored stored;
  stored.add("", stored_parameters(model.config(), model.weights()));
  return stored;
}
const Metadata kModelMetadata = {{"format", "pt"}};  // which Hugging Face's library asks for

}  // namespace

std::vector<std::byte> model_file(const LanguageModel& model) {
  return model_tensors(model).bytes(kModelMetadata);
}

void write_model_file(const LanguageModel& model, const WritePiece& write) {
  model_tensors(model).write(kModelMetadata, write);
}

void load_model(const Safetensors& file, LanguageModel& model) {
  const auto parameters = stored_parameters(model.config(), model.weights());
  check_all("load_model", file, "", parameters);
  read_all(file, "", parameters);
}

namespace {

Metadata checkpoint_metadata(const Trainer& trainer, const Metadata& more) {
  const ModelConfig& config = trainer.model().config();
  Metadata metadata = checkpoint_settings(config, trainer.options());
  metadata["trainer.done"] = std::to_string(trainer.steps());
  for (const auto& [name, text] : more) {
    if (name.find('.') != std::string::npos)
      fail("checkpoint_file", name.c_str(), "has a dot in it");
    metadata[name] = text;
  }
  return metadata;
}

Stored checkpoint_tensors(const Trainer& trainer) {
  const ModelConfig& config = trainer.model().config();
  Stored stored;
  stored.add("", stored_parameters(config, trainer.model().weights()));
  stored.add(kFirst, stored_parameters(config, trainer.first_moment()));
  stored.add(kSecond, stored_parameters(config, trainer.second_moment()));
  return stored;
}

}  // namespace

std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more) {
  return checkpoint_tensors(trainer).bytes(checkpoint_metadata(trainer, more));
}

void write_checkpoint_file(const Trainer& trainer, const Metadata& more, const WritePiece& write) {
  checkpoint_tensors(trainer).write(checkpoint_metadata(trainer, more), write);
}

void restore_checkpoint(const Safetensors& file, Trainer& trainer) {
  constexpr const char* kCall = "restore_checkpoint";
  const Checkpoint checkpoint = read_checkpoint(file);
  const ModelConfig& config = trainer.model().config();
  const Metadata here = checkpoint_settings(config, trainer.options());
  for (const auto& [name, text] : checkpoint_settings(checkpoint.config, checkpoint.options)) {
    if (name == "trainer.steps" || here.at(name) == text) continue;
    fail(kCall, name.c_str(), {"is ", here.at(name), ", and in the checkpoint ", text});
  }
  const auto parameters = stored_parameters(config, trainer.model().weights());
  const auto first = stored_parameters(config, trainer.first_moment());
  const auto second = stored_parameters(config, trainer.second_moment());
  check_all(kCall, file, "", parameters);
  check_all(kCall, file, kFirst, first);
  check_all(kCall, file, kSecond, second);
  read_all(file, "", parameters);
  read_all(file, kFirst, first);
  read_all(file, kSecond, second);
  trainer.set_steps(checkpoint.steps);
}

// Lines of a JSON object. Names and texts are our own: nothing needs an escape.
std::string model_config_json(const ModelConfig& config) {
  std::string text = "{";
  const auto line = [&](const char* name, const std::string& value) {
    text += std::string(text.size() > 1 ? "," : "") + "\n  \"" + name + "\": " + value;
  };
  const auto number = [&](const char* name, Index value) { line(name, std::to_string(value)); };
  const auto flag = [&](const char* name, bool value) { line(name, value ? "true" : "false"); };
  const Metadata settings = checkpoint_settings(config, {});
  const std::string dropout = settings.at("model.dropout");
  if (config.family == ModelFamily::gpt2) {
    line("architectures", "[\"GPT2LMHeadModel\"]");
    line("model_type", "\"gpt2\"");
    number("n_layer", config.layers);
    number("n_head", config.heads);
    number("n_embd", config.width);
    number("n_inner", config.hidden_width());
    number("n_positions", config.context);
    line("activation_function", "\"gelu_new\"");
    line("layer_norm_epsilon", settings.at("model.eps"));
    line("embd_pdrop", dropout);
    line("resid_pdrop", dropout);
    line("attn_pdrop", dropout);
  } else {
    line("architectures", "[\"LlamaForCausalLM\"]");
    line("model_type", "\"llama\"");
    number("num_hidden_layers", config.layers);
    number("num_attention_heads", config.heads);
    number("num_key_value_heads", config.key_heads());
    number("hidden_size", config.width);
    number("intermediate_size", config.hidden_width());
    number("max_position_embeddings", config.context);
    line("hidden_act", "\"silu\"");
    line("rms_norm_eps", settings.at("model.eps"));
    line("rope_theta", settings.at("model.rotary_base"));
    line("attention_dropout", dropout);
    flag("attention_bias", config.biases);
    flag("mlp_bias", config.biases);
  }
  number("vocab_size", config.vocabulary);
  line("bos_token_id", "null");
  line("eos_token_id", "null");
  flag("tie_word_embeddings", config.tied_head);
  line("torch_dtype", "\"float32\"");
  const ModelConfig usual = ModelConfig::of(config.family);
  if (config.biases != usual.biases) flag("tril_biases", config.biases);
  if (!config.causal) flag("tril_causal", false);
  const Metadata as_usual = checkpoint_settings(usual, {});
  for (const char* name : {"norm", "positions", "feed_forward"}) {
    const std::string key = std::string("model.") + name;
    if (settings.at(key) == as_usual.at(key)) continue;
    line((std::string("tril_") + name).c_str(), "\"" + settings.at(key) + "\"");
  }
  return text + "\n}\n";
}

}  // namespace tril
