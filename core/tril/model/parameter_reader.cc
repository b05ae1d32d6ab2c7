#include <tril/foundation/check.h>
#include <tril/matmul/q8_0.h>
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

// What files hold besides parameters.
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

// As which a tensor of this type may stay.
WeightKind kept_kind(ElementType type) noexcept {
  if (type == ElementType::float16) return WeightKind::float16;
  return type == ElementType::bfloat16 ? WeightKind::bfloat16 : WeightKind::float32;
}
bool holds_floats(ElementType type) {
  return kept_kind(type) != WeightKind::float32 || type == ElementType::float32 ||
         type == ElementType::float64 || type == ElementType::q8_0;
}

// The name that newer files have: "LayerNorm.weight" of LayerNorm.gamma.
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
      parameters_(stored_parameters(parameters.config(), parameters.places(), names)) {}

// The parameter that a tensor is; null where it is passed over.
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
  // A model that was stored without its head is without the "model." of its place beside it.
  const std::string_view layers = entry.layers;
  if (at == parameters_.end())
    at = find(std::string(layers.substr(0, layers.find('.') + 1)) + newer);
  if (at != parameters_.end()) return &*at;
  if (is_ignored(config, entry, name)) return nullptr;
  const std::string_view family = family_name(config.family);
  fail(kCall, tensor.name.c_str(),
       {"is no parameter of a model of the family ", family, " with ", config.layers, " layers"});
}

// Positions and types of tokens are looked up, not multiplied with.
WeightKind ParameterReader::kind_of(const StoredParameter& parameter,
                                    ElementType type) const noexcept {
  const BasicModelWeights<float>& places = model_.places();
  const bool quantised = model_.memory() == ParameterMemory::q8_0 &&
                         parameter.matrix != &places.positions &&
                         parameter.matrix != &places.token_types;
  return quantised ? WeightKind::q8_0 : kept_kind(type);
}

std::vector<ParameterPlace> ParameterReader::find(std::span<const NamedTensor> tensors) {
  std::vector<ParameterPlace> found;
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
    if (parameter->matrix) {
      const WeightKind kind = kind_of(*parameter, tensor.type);
      const auto [at, is_first] = kinds_.emplace(parameter->matrix, kind);
      if (!is_first && at->second != kind) at->second = WeightKind::float32;
    }
    found.push_back({parameter, tensor, each.begin, *stored_bytes(tensor.shape, tensor.type)});
  }
  return found;
}

void ParameterReader::allocate() {
  if (model_.bytes() > 0) return;
  for (const StoredParameter& each : parameters_) {
    if (!found_.contains(each.name)) fail_missing(each);
  }
  // In the order in which matrices are walked through, the kinds that they were found with.
  std::vector<WeightKind> kinds;
  for_each_parameter(model_.places(), [&](const ParameterName&, const auto& view) {
    if constexpr (requires { MatrixView<float>(view); }) {
      if (!view) return;
      const auto kind = kinds_.find(&view);
      kinds.push_back(kind == kinds_.end() ? WeightKind::float32 : kind->second);
    }
  });
  model_.allocate(kinds);
  const auto placed = stored_parameters(model_.config(), model_.places(), names_);
  for (std::size_t n = 0; n < placed.size(); ++n) parameters_[n].data = placed[n].data;
}

namespace {

// A whole number of elements as they are in the file.
void load(ElementType, std::span<const std::byte> from, std::span<std::uint16_t> out) noexcept {
  std::memcpy(out.data(), from.data(), out.size_bytes());
}
// As floats.
void load(ElementType type, std::span<const std::byte> from, std::span<float> out) {
  StoredTensor tensor{.type = type, .shape = {static_cast<Index>(out.size())}};
  tensor.bytes = from;
  read_elements(tensor, out);
}

// The elements from `first` on, so many as there are bytes, to where they belong. Of a matrix that
// memory has in another order, the rows of a cache line at a time:
//   for each run, some whole rows or what is left of one:  to[col][row...] = run[row...][col]
template <typename T>
void load_elements(const StoredParameter& parameter, ElementType type, Index first,
                   std::span<const std::byte> bytes, T* to) {
  const auto size = static_cast<Index>(element_size(type));
  const auto length = static_cast<Index>(block_length(type));
  const Index end = first + static_cast<Index>(bytes.size()) / size * length;
  if (!parameter.transposed) {
    return parameter.for_each_run(first, end, [&](Index at, Index place, Index count) {
      const auto part = bytes.subspan(static_cast<std::size_t>((at - first) / length * size),
                                      static_cast<std::size_t>(count / length * size));
      load(type, part, {to + place, static_cast<std::size_t>(count)});
      if constexpr (std::is_same_v<T, float>) {
        for (Index i = 0; i < count; ++i) to[place + i] = parameter.in_memory(to[place + i]);
      }
    });
  }
  const Index rows = parameter.shape[0], cols = parameter.shape[1];
  const Index most = static_cast<Index>(kAlignment / sizeof(T));
  std::vector<T> run(static_cast<std::size_t>(std::min(most * cols, end - first)));
  for (Index at = first; at < end;) {
    const Index row = at / cols, col = at % cols, whole = (end - at) / cols;
    const bool has_rows = col == 0 && whole > 0;
    const Index height = has_rows ? std::min(most, whole) : 1;
    const Index width = has_rows ? cols : std::min(cols - col, end - at);
    const auto count = static_cast<std::size_t>(height * width);
    load(type,
         bytes.subspan(static_cast<std::size_t>((at - first) * size),
                       count * static_cast<std::size_t>(size)),
         std::span(run).first(count));
    for (Index m = 0; m < width; ++m) {
      for (Index n = 0; n < height; ++n) {
        to[(col + m) * rows + row + n] = run[static_cast<std::size_t>(n * width + m)];
      }
    }
    at += height * width;
  }
}

// Whole blocks of q8_0 as they are in the file, to where they belong.
void load_blocks(const StoredParameter& parameter, Index first, std::span<const std::byte> bytes,
                 std::byte* to) {
  constexpr ElementType kType = ElementType::q8_0;
  const std::size_t size = element_size(kType), length = block_length(kType);
  const auto bytes_to = [&](Index count) {
    return static_cast<std::size_t>(count) / length * size;
  };
  const Index end = first + static_cast<Index>(bytes.size() / size * length);
  parameter.for_each_run(first, end, [&](Index at, Index place, Index count) {
    std::memcpy(to + bytes_to(place), bytes.data() + bytes_to(at - first), bytes_to(count));
  });
}

}  // namespace

// Adds the numbers of bytes_, those of the tensor from byte `begin` on, to the floats that wait,
// and for each row of memory that is whole then:  quantise it
void ParameterReader::quantise(const ParameterPlace& place, std::size_t begin) {
  const StoredParameter& parameter = *place.parameter;
  const Weight rows = model_.rows_of(parameter);
  std::byte* const memory = model_.place_of(parameter);
  std::vector<float>& waiting = floats_[parameter.name];
  const auto quantise = [&](const float* row, Index n) {
    if (quantise_q8_0(row, rows.size(1), memory + (rows.row(n) - rows.row(0)))) return;
    fail(kCall, parameter.name.c_str(),
         "holds a number that is not finite, or too large for q8_0, whose scales are float16");
  };
  const ElementType type = place.tensor.type;
  const auto length = static_cast<std::size_t>(block_length(type));
  const std::size_t count = bytes_.size() / element_size(type) * length, before = waiting.size();
  waiting.resize(before + count);
  load(type, bytes_, std::span(waiting).subspan(before));
  if (parameter.transposed) {
    if (begin + bytes_.size() < place.size) return;
    std::vector<float> row(static_cast<std::size_t>(rows.size(1)));
    for (Index n = 0; n < rows.size(0); ++n) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        row[k] = waiting[k * static_cast<std::size_t>(rows.size(0)) + static_cast<std::size_t>(n)];
      }
      quantise(row.data(), n);
    }
    waiting = std::vector<float>();
    return;
  }
  const Index cols = rows.size(1), whole = static_cast<Index>(waiting.size()) / cols;
  const auto first = static_cast<Index>(begin / element_size(type) * length - before);
  parameter.for_each_run(first, first + whole * cols, [&](Index file, Index to, Index size) {
    for (Index at = 0; at < size; at += cols) {
      quantise(waiting.data() + file - first + at, (to + at) / cols);
    }
  });
  waiting.erase(waiting.begin(), waiting.begin() + whole * cols);
}

void ParameterReader::read(const ParameterPlace& place, std::size_t begin, std::size_t size,
                           const Fill& fill) {
  allocate();
  const StoredParameter& parameter = *place.parameter;
  const ElementType type = place.tensor.type;
  const auto at = left_.find(parameter.name);
  const std::size_t left = at == left_.end() ? place.size : at->second;
  if (begin != place.size - left || size > left || size % element_size(type) != 0) {
    fail(kCall, parameter.name.c_str(),
         {size, " bytes from byte ", begin, " are not the next of ", place.size, ", of which ",
          left, " are to come"});
  }
  const WeightKind kind = model_.rows_of(parameter).kind();
  std::byte* const to = model_.place_of(parameter);
  const auto first = static_cast<Index>(begin / element_size(type)) * block_length(type);
  const bool is_alike =
      !parameter.transposed && !parameter.order.is_other() && parameter.added == 0;
  const bool is_narrow = kind == WeightKind::float16 || kind == WeightKind::bfloat16;
  const bool has_blocks = kind == WeightKind::q8_0 && type == ElementType::q8_0;
  const bool has_floats = kind == WeightKind::float32 && type == ElementType::float32;
  if (is_alike && (is_narrow || has_blocks || has_floats)) {
    fill({to + begin, size});
  } else {
    if (bytes_.capacity() < size) bytes_ = std::vector<std::byte>();  // not both at once
    bytes_.resize(size);
    fill(bytes_);
    if (has_blocks && !parameter.transposed) {
      load_blocks(parameter, first, bytes_, to);
    } else if (kind == WeightKind::q8_0) {
      quantise(place, begin);
    } else if (is_narrow) {
      load_elements(parameter, type, first, bytes_, reinterpret_cast<std::uint16_t*>(to));
    } else {
      load_elements(parameter, type, first, bytes_, reinterpret_cast<float*>(to));
    }
  }
  left_[parameter.name] = left - size;
}

void ParameterReader::read(const ParameterPlace& place, std::span<const std::byte> bytes) {
  read(place, 0, bytes.size(),
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
