#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/model/lora_file.h>
#include <tril/model/model_family.h>
#include <tril/model/stored_tensors.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "read_lora";
const Metadata kMetadata = {{"format", "pt"}};  // the metadata in PEFT's files

detail::StoredTensors tensors_of(const LoraAdapter& adapter) {
  detail::StoredTensors stored;
  stored.add("", adapter.parameters(adapter.values()));
  return stored;
}

// The parameter with this name in a model; null where there is none.
const StoredParameter* named(const std::vector<StoredParameter>& parameters,
                             const std::string& name) {
  const auto at = std::ranges::find(parameters, name, &StoredParameter::name);
  return at == parameters.end() ? nullptr : &*at;
}

}  // namespace

std::string lora_config_json(const LoraAdapter& adapter) {
  const LoraOptions& options = adapter.options();
  const ModelConfig& config = adapter.model().config();
  detail::JsonWriter targets('[');
  for (const std::string& each : options.targets) targets.add(each);
  // Entries are in alphabetical order, as PEFT writes them. GPT-2's files have matrices as [in,
  // out].
  return detail::json_object(
             {{"base_model_name_or_path", nullptr},
              {"bias", "none"},
              {"fan_in_fan_out", detail::family_entry(config.family).transposed},
              {"inference_mode", true},
              {"init_lora_weights", true},
              {"lora_alpha", options.alpha},
              {"lora_dropout", 0.0},
              {"peft_type", "LORA"},
              {"r", options.rank},
              {"target_modules", std::move(targets).end()},
              {"task_type", config.causal ? detail::JsonText("CAUSAL_LM") : nullptr}},
             2)
             .text +
         "\n";
}

std::vector<std::byte> lora_file(const LoraAdapter& adapter) {
  return tensors_of(adapter).bytes(kMetadata);
}

void write_lora_file(const LoraAdapter& adapter, const WritePiece& write) {
  tensors_of(adapter).write(kMetadata, write);
}

StoredLoraConfig parse_lora_config(std::string_view file) {
  const detail::JsonObject settings(kCall, "file", file);
  if (const std::string type = settings.text("peft_type"); type != "LORA") {
    fail(kCall, "peft_type", {"must be LORA, is ", detail::shown(type)});
  }
  if (!detail::JsonReader(kCall, file, 0).value()["alpha_pattern"].items.empty()) {
    fail(kCall, "alpha_pattern", "must be empty: all matrices have one alpha");
  }
  return {settings.number("lora_alpha"), settings.boolean("use_rslora", false)};
}

StoredLora::StoredLora(const StoredLoraConfig& config, std::span<const std::byte> file,
                       const ModelConfig& model) {
  const Safetensors tensors = parse_safetensors(file);
  const BasicModelWeights<float> places = model_shapes(model);
  const std::vector<StoredParameter> parameters = stored_parameters(model, places);
  std::set<std::string> known;
  for (const StoredParameter& each : parameters) {
    const std::string a = detail::lora_name(model.family, each.name, 'A');
    const StoredTensor* const tensor = each.matrix ? tensors.find(a) : nullptr;
    if (!tensor) continue;
    const Index in = each.shape[each.transposed ? 0 : 1];
    if (tensor->shape.size() != 2 || tensor->shape[0] < 1 || tensor->shape[1] != in) {
      fail(kCall, a.c_str(), {"shape must be [rank, ", in, "], is ", tensor->shape});
    }
    const Index rank = tensor->shape[0];
    const double divisor =
        config.by_root ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank);
    pairs_.push_back({each, rank, static_cast<float>(config.alpha / divisor)});
    known.insert({a, detail::lora_name(model.family, each.name, 'B')});
  }
  for (const NamedTensor& each : tensors.tensors) {
    if (known.contains(each.name)) continue;
    fail(kCall, each.name.c_str(), "is no matrix of LoRA of such a model");
  }
  if (pairs_.empty()) fail(kCall, "file", "there are no matrices of LoRA in it");
  const auto stored = saved_in(values_, [&](SavedMemory& memory) {
    return detail::place_lora(model.family, pairs_, memory);
  });
  detail::check_stored(kCall, tensors, "", stored);
  detail::read_stored(tensors, "", stored);
}

void StoredLora::hold_as_floats(ParameterReader& reader, const ModelParameters& parameters) const {
  const auto list = stored_parameters(parameters.config(), parameters.layout());
  for (const detail::LoraPair& each : pairs_) {
    if (const auto* found = named(list, each.target.name)) reader.hold_as_floats(*found);
  }
}

void StoredLora::merge(ModelParameters& parameters, const Context& context) const {
  if (parameters.bytes() == 0) fail(kCall, "parameters", "have not been read");
  const auto list = stored_parameters(parameters.config(), parameters.layout());
  std::vector<MatrixView<float>> weights;
  for (const detail::LoraPair& each : pairs_) {
    const StoredParameter* const own = named(list, each.target.name);
    if (!own || parameters.rows_of(*own).kind() != WeightKind::float32) {
      fail(kCall, each.target.name.c_str(), "is not held as floats");
    }
    weights.push_back({own->data, {each.out(), each.in()}});
  }
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    detail::merge_lora(pairs_[n], weights[n], weights[n], context);
  }
}

}  // namespace tril
