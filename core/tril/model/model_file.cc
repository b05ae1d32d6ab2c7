#include <tril/foundation/check.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

// A matrix [rows, cols] as [cols, rows].
void transpose(const float* from, Index rows, Index cols, float* to) noexcept {
  for (Index n = 0; n < rows; ++n) {
    for (Index m = 0; m < cols; ++m) to[m * rows + n] = from[n * cols + m];
  }
}

Index count_of(const StoredParameter& each) noexcept {
  Index count = 1;
  for (const Index size : each.shape) count *= size;
  return count;
}

// Tensors to be written, with the copies that some of them need.
class Stored {
 public:
  void add(const std::string& prefix, const std::vector<StoredParameter>& parameters) {
    for (const StoredParameter& each : parameters) {
      const float* elements = each.data;
      if (each.transposed) {
        Buffer<float, 1>& copy = copies_.emplace_back(Shape<1>{count_of(each)});
        transpose(each.data, each.shape[1], each.shape[0], copy.data());
        elements = copy.data();
      }
      tensors_.push_back(
          {prefix + each.name, each.shape, {elements, static_cast<std::size_t>(count_of(each))}});
    }
  }
  std::vector<std::byte> bytes(const Metadata& metadata) const {
    return safetensors_bytes(tensors_, metadata);
  }

 private:
  std::vector<Buffer<float, 1>> copies_;  // their memory stays where it is when they are moved
  std::vector<TensorToStore> tensors_;
};

// Parameters of a model laid out in this memory, which is not written.
std::vector<StoredParameter> parameters_at(const ModelConfig& config,
                                           const VectorView<const float>& memory) {
  SavedMemory place(VectorView<float>(const_cast<float*>(memory.data()), memory.shape()));
  return stored_parameters(config, model_layout(config, place).weights);
}

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
    const auto count = static_cast<std::size_t>(count_of(each));
    const StoredTensor& tensor = *file.find(prefix + each.name);
    if (!each.transposed) {
      read_elements(tensor, std::span<float>(each.data, count));
      continue;
    }
    elements.resize(count);
    read_elements(tensor, std::span<float>(elements));
    transpose(elements.data(), each.shape[0], each.shape[1], each.data);
  }
}

constexpr const char* kFirst = "first_moment.";
constexpr const char* kSecond = "second_moment.";

}  // namespace

std::vector<std::byte> model_file(const LanguageModel& model) {
  Stored stored;
  stored.add("", stored_parameters(model.config(), model.weights()));
  return stored.bytes({{"format", "pt"}});  // which Hugging Face's library asks for
}

void load_model(const Safetensors& file, LanguageModel& model) {
  const auto parameters = stored_parameters(model.config(), model.weights());
  check_all("load_model", file, "", parameters);
  read_all(file, "", parameters);
}

std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more) {
  const ModelConfig& config = trainer.model().config();
  Metadata metadata = checkpoint_settings(config, trainer.options());
  metadata["trainer.done"] = std::to_string(trainer.steps());
  for (const auto& [name, text] : more) {
    if (name.find('.') != std::string::npos)
      fail("checkpoint_file", name.c_str(), "has a dot in it");
    metadata[name] = text;
  }
  Stored stored;
  stored.add("", stored_parameters(config, trainer.model().weights()));
  stored.add(kFirst, parameters_at(config, trainer.first_moment()));
  stored.add(kSecond, parameters_at(config, trainer.second_moment()));
  return stored.bytes(metadata);
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
  const auto first = parameters_at(config, trainer.first_moment());
  const auto second = parameters_at(config, trainer.second_moment());
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
