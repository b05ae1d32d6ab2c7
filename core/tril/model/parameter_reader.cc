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

constexpr const char* kFactors = "rope_freqs.weight";

// What files hold besides parameters.
bool is_ignored(const ModelConfig& config, const detail::FamilyEntry& entry,
                std::string_view name) {
  if (name == entry.head) return config.tied_head;
  return std::ranges::any_of(entry.ignored_endings,
                             [&](const char* end) { return end && name.ends_with(end); });
}

bool has_16_bits(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}
bool holds_floats(ElementType type) {
  return has_16_bits(type) || type == ElementType::float32 || type == ElementType::float64 ||
         type == ElementType::q8_0;
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
  if (name == kFactors && names_ == ParameterNames::of_gguf && may_scale) {
    const Index pairs = config.turned_width() / 2;
    if (factors_.empty()) factors_.resize(static_cast<std::size_t>(pairs));
    stored_factors_ = {kFactors, {pairs}, factors_.data(), false};
    return &stored_factors_;
  }
  const std::string_view prefix = entry.prefix;
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  const auto at = std::ranges::find(parameters_, name, &StoredParameter::name);
  if (at != parameters_.end()) return &*at;
  if (is_ignored(config, entry, name)) return nullptr;
  const std::string_view family = name_of(kModelFamilies, config.family);
  fail(kCall, tensor.name.c_str(),
       {"is no parameter of a model of the family ", family, " with ", config.layers, " layers"});
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
      const bool narrow = has_16_bits(tensor.type) && parameter->matrix->size(1) % 2 == 0;
      const ElementType type = narrow ? tensor.type : ElementType::float32;
      const auto [at, is_first] = types_.emplace(parameter->matrix, type);
      if (!is_first && at->second != type) at->second = ElementType::float32;
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
  // In the order in which matrices are walked through, the types that they were found with.
  std::vector<ElementType> types;
  for_each_parameter(model_.places(), [&](const ParameterName&, const auto& view) {
    if constexpr (requires { MatrixView<float>(view); }) {
      if (!view) return;
      const auto type = types_.find(&view);
      types.push_back(type == types_.end() ? ElementType::float32 : type->second);
    }
  });
  model_.allocate(types);
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

}  // namespace

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
  const bool narrow = model_.type_of(parameter) != ElementType::float32;
  const auto first = static_cast<Index>(begin / element_size(type) * block_length(type));
  const bool is_alike =
      !parameter.transposed && !parameter.order.is_other() && parameter.added == 0;
  const bool stays = is_alike && (narrow || type == ElementType::float32);
  if (stays) {
    fill({reinterpret_cast<std::byte*>(parameter.data) + begin, size});
  } else {
    if (bytes_.capacity() < size) bytes_ = std::vector<std::byte>();  // not both at once
    bytes_.resize(size);
    fill(bytes_);
    if (narrow) {
      load_elements(parameter, type, first, bytes_,
                    reinterpret_cast<std::uint16_t*>(parameter.data));
    } else {
      load_elements(parameter, type, first, bytes_, parameter.data);
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
  for (const StoredParameter& each : parameters_) {
    const auto at = left_.find(each.name);
    if (at == left_.end()) fail_missing(each);
    if (at->second > 0) fail(kCall, each.name.c_str(), {at->second, " bytes of it are missing"});
  }
  if (factors_.empty()) return;
  const auto scaling = rotary_scaling_of(model_.config().rotary_base, factors_);
  if (!scaling) fail(kCall, kFactors, "are not those of Llama 3's scaling of positions");
  model_.config_.rotary_scaling = *scaling;
}

}  // namespace tril
