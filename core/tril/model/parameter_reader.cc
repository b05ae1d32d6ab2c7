#include <tril/foundation/check.h>
#include <tril/model/gguf_config.h>
#include <tril/model/model_family.h>
#include <tril/model/parameter_reader.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";

// Whether a tensor of a file is known not to be a parameter.
bool is_ignored(const ModelConfig& config, const detail::FamilyEntry& entry,
                std::string_view name) {
  if (name == entry.head && config.has_head) return config.tied_head;
  if (std::ranges::any_of(entry.ignored_beginnings,
                          [&](const char* begin) { return begin && name.starts_with(begin); })) {
    return true;
  }
  return std::ranges::any_of(entry.ignored_endings,
                             [&](const char* end) { return end && name.ends_with(end); });
}

// The kind in which a tensor of this type may be kept.
WeightKind kept_kind(ElementType type) noexcept {
  if (type == ElementType::float16) return WeightKind::float16;
  return type == ElementType::bfloat16 ? WeightKind::bfloat16 : WeightKind::float32;
}
bool holds_floats(ElementType type) {
  return kept_kind(type) != WeightKind::float32 || type == ElementType::float32 ||
         type == ElementType::float64 || type == ElementType::q8_0;
}

// The name in newer files: "LayerNorm.weight" for LayerNorm.gamma.
std::string newer_name(const detail::FamilyEntry& entry, std::string_view name) {
  constexpr std::string_view kWeight = ".gamma", kBias = ".beta";
  std::string newer(name);
  if (!entry.has_old_norm_names) return newer;
  if (name.ends_with(kWeight)) newer.replace(name.size() - kWeight.size(), newer.npos, ".weight");
  if (name.ends_with(kBias)) newer.replace(name.size() - kBias.size(), newer.npos, ".bias");
  return newer;
}

[[noreturn]] void fail_missing(const StoredParameter& parameter) {
  fail(kCall, parameter.name.c_str(), {"is missing; its shape would be ", parameter.shape});
}

}  // namespace

ParameterReader::ParameterReader(ModelParameters& parameters, ParameterNames names)
    : model_(parameters),
      names_(names),
      parameters_(stored_parameters(parameters.config(), parameters.layout(), names)) {}

// The parameter for a tensor; null where the tensor is skipped.
const StoredParameter* ParameterReader::parameter_of(const NamedTensor& tensor) {
  const ModelConfig& config = model_.config();
  const detail::FamilyEntry entry = detail::entry_of(config.family, names_);
  std::string_view name = tensor.name;
  const bool may_scale = config.positions == ModelPositions::rotary &&
                         config.rotary_scaling.kind == RotaryScalingKind::none;
  const auto factors = std::ranges::find(factors_, name, &Factors::name);
  if (factors != factors_.end() && names_ == ParameterNames::of_gguf && may_scale) {
    const Index pairs = config.turned_width() / 2;
    factors->values.resize(static_cast<std::size_t>(pairs));
    factors->stored = {factors->name, {pairs}, factors->values.data(), false};
    return &factors->stored;
  }
  const std::string_view prefix = entry.prefix;
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  const auto find = [&](const std::string& as) {
    return std::ranges::find(parameters_, as, &StoredParameter::name);
  };
  const std::string newer = newer_name(entry, name);
  auto at = find(newer);
  // A model stored without its head lacks its name in the whole model, the prefix "model.".
  const std::string_view layers = entry.layers;
  if (at == parameters_.end())
    at = find(std::string(layers.substr(0, layers.find('.') + 1)) + newer);
  if (at != parameters_.end()) return &*at;
  if (is_ignored(config, entry, name)) return nullptr;
  const std::string_view family = family_name(config.family);
  fail(kCall, tensor.name.c_str(),
       {"is no parameter of a model of the family ", family, " with ", config.layers, " layers"});
}

void ParameterReader::keep(const StoredParameter& parameter, WeightKind kind) {
  if (!parameter.matrix) return;
  const auto [at, is_first] = kinds_.emplace(*parameter.matrix, kind);
  if (!is_first && at->second != kind) at->second = WeightKind::float32;
}

// Position and type vectors are looked up, not multiplied.
WeightKind ParameterReader::kind_of(const StoredParameter& parameter,
                                    ElementType type) const noexcept {
  const detail::FamilyEntry entry = detail::entry_of(model_.config().family, names_);
  const auto is = [&](const char* name) { return name && parameter.name == name; };
  const bool quantised = model_.memory() == ParameterMemory::q8_0 && !is(entry.positions) &&
                         !is(entry.token_type_embedding);
  return quantised ? WeightKind::q8_0 : kept_kind(type);
}

std::vector<ParameterRange> ParameterReader::find(std::span<const NamedTensor> tensors) {
  std::vector<ParameterRange> found;
  for (const NamedTensor& each : tensors) {
    const StoredParameter* const parameter = parameter_of(each);
    if (!parameter) continue;
    const StoredTensor& tensor = each.tensor;
    if (tensor.shape != parameter->shape) {
      fail(kCall, each.name.c_str(), {"shape must be ", parameter->shape, ", is ", tensor.shape});
    }
    const bool is_read = parameter->matrix || tensor.type != ElementType::q8_0;
    if (!holds_floats(tensor.type) || !is_read) fail(kCall, each.name.c_str(), "holds no floats");
    if (!found_.insert(parameter->name).second) {
      fail(kCall, each.name.c_str(), "is there twice");
    }
    keep(*parameter, kind_of(*parameter, tensor.type));
    found.push_back({parameter, tensor, each.begin, *stored_bytes(tensor.shape, tensor.type)});
  }
  return found;
}

void ParameterReader::allocate() {
  if (model_.bytes() > 0) return;
  for (const StoredParameter& each : parameters_) {
    if (!found_.contains(each.name)) fail_missing(each);
  }
  // The kinds of the matrices, in the order of zip_matrices.
  std::vector<WeightKind> kinds;
  zip_matrices(
      [&](Index number, const MatrixView<float>&) {
        const auto kind = kinds_.find(number);
        kinds.push_back(kind == kinds_.end() ? WeightKind::float32 : kind->second);
      },
      model_.layout());
  model_.allocate(kinds);
  const auto placed = stored_parameters(model_.config(), model_.layout(), names_);
  for (std::size_t n = 0; n < placed.size(); ++n) parameters_[n].data = placed[n].data;
}

void ParameterReader::read(const ParameterRange& range, std::span<const std::byte> bytes) {
  read(range, 0, bytes.size(),
       [&](std::span<std::byte> out) { std::ranges::copy(bytes, out.begin()); });
}

void ParameterReader::finish() {
  bytes_ = std::vector<std::byte>();
  floats_.clear();
  for (const StoredParameter& each : parameters_) {
    const auto at = left_.find(each.name);
    if (at == left_.end()) fail_missing(each);
    if (at->second > 0) fail(kCall, each.name.c_str(), {at->second, " bytes of it are missing"});
  }
  set_scaling();
}

void ParameterReader::set_scaling() {
  const auto& [llama3, shorter, longer] = factors_;
  ModelConfig& config = model_.config_;
  if (!llama3.values.empty()) {
    const auto scaling = rotary_scaling_of(config.rotary_base, llama3.values);
    if (!scaling) fail(kCall, llama3.name, "are not those of Llama 3's scaling of positions");
    config.rotary_scaling = *scaling;
  }
  if (shorter.values.empty() && longer.values.empty()) return;
  RotaryScaling scaling = config.rotary_scaling;  // `original` and `magnitude` are the file's
  scaling.kind = RotaryScalingKind::longrope;
  scaling.short_factors.assign(shorter.values.begin(), shorter.values.end());
  scaling.long_factors.assign(longer.values.begin(), longer.values.end());
  check_rotary_scaling(scaling, config.turned_width() / 2, kCall,
                       {.original = "rope.scaling.original_context_length",
                        .short_factors = shorter.name,
                        .long_factors = longer.name,
                        .magnitude = "rope.scaling.attn_factor"});
  config.rotary_scaling = std::move(scaling);
}

}  // namespace tril
