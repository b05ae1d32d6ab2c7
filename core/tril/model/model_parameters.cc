#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/parameters.h>
#include <tril/model/model_parameters.h>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";

void check_memory(const char* what, double bytes) {
  if (!detail::may_have(bytes)) detail::fail_for_memory(kCall, what, bytes);
}

AlignedMemory memory_for(const char* what, double bytes) {
  check_memory(what, bytes);  // a double, since it may exceed every integer
  return {static_cast<std::size_t>(bytes), kCall, what};
}

template <typename View>
constexpr bool kIsMatrix = std::is_convertible_v<const View&, MatrixView<const float>>;

double bytes_of(const Shape<2>& shape, WeightKind kind) {
  const std::size_t row = kind == WeightKind::float32
                              ? static_cast<std::size_t>(shape[1]) * sizeof(float)
                              : weight_format(kind).row_bytes(shape[1]);
  return static_cast<double>(shape[0]) * static_cast<double>(row);
}

}  // namespace

ModelParameters::ModelParameters(const ModelConfig& config, ParameterMemory memory)
    : config_(config), kept_(memory), layout_(model_shapes(config)) {
  detail::copy_form(weights_, layout_);
  if (memory == ParameterMemory::floats) {
    allocate({});
    std::memset(memory_.data(), 0, memory_.bytes());
    return;
  }
  // A model that is too large for the available memory must be refused before its files are read.
  // But memory is not allocated on the basis of its settings alone: the heap of a WebAssembly
  // module never shrinks again.
  double numbers = 0;
  for_each_parameter(layout_, [&](const ParameterName&, const auto& view) {
    if (view) numbers += static_cast<double>(view.count());
  });
  if (memory == ParameterMemory::q8_0) {
    check_memory("the parameters, as q8_0, take", numbers * 34 / 32);
  } else {
    check_memory("the parameters, of 16 bits each, take", numbers * 2);
  }
}

const BasicModelWeights<float>& ModelParameters::floats() const {
  if (bytes() == 0) fail("ModelParameters", "floats", "have not been read");
  check_all_floats(weights_, "ModelParameters");
  return layout_;
}

Weight ModelParameters::rows_of(const StoredParameter& parameter) const noexcept {
  Weight found;
  zip_matrices(
      [&](Index number, const MatrixView<float>&, const Weight& weight) {
        if (number == parameter.matrix) found = weight;
      },
      layout_, weights_);
  const Index rows = parameter.shape[parameter.transposed ? 1 : 0];
  return found.rows(parameter.first_row, rows);
}

std::byte* ModelParameters::memory_of(const StoredParameter& parameter) noexcept {
  if (!parameter.matrix) return reinterpret_cast<std::byte*>(parameter.data);
  return memory_.data() + (rows_of(parameter).row(0) - memory_.data());
}

std::vector<NumbersOfType> ModelParameters::types() const {
  std::vector<NumbersOfType> types;
  for (const auto& [name, kind] : kWeightKinds) {
    Index count = 0;
    for_each_parameter(weights_, [&, kind = kind](const ParameterName&, const auto& view) {
      if (!view) return;
      if constexpr (requires { view.kind(); }) {
        if (view.kind() == kind) count += view.count();
      } else if (kind == WeightKind::float32) {
        count += view.count();
      }
    });
    if (count > 0) types.push_back({kind, count});
  }
  return types;
}

void ModelParameters::allocate(std::span<const WeightKind> kinds) {
  memory_ = memory_for("the parameters take", lay_out(kinds, nullptr));
  lay_out(kinds, memory_.data());
}

double ModelParameters::lay_out(std::span<const WeightKind> kinds, std::byte* memory) {
  double end = 0;
  std::size_t matrices = 0;
  // Each begins on its own cache line.
  const auto take = [&](double bytes) {
    const double begin = end;
    end += std::ceil(bytes / kAlignment) * kAlignment;
    return memory ? memory + static_cast<std::size_t>(begin) : nullptr;
  };
  zip_parameters(
      [&](const ParameterName&, auto& view, auto& weight) {
        if (!view) return;
        using View = std::remove_reference_t<decltype(view)>;
        if constexpr (kIsMatrix<View>) {
          const WeightKind kind = kinds.empty() ? WeightKind::float32 : kinds[matrices++];
          if (kind != WeightKind::float32) {
            const std::byte* const data = take(bytes_of(view.shape(), kind));
            if (memory) weight = {weight_format(kind), data, view.size(0), view.size(1)};
            return;
          }
        }
        std::byte* const data = take(static_cast<double>(view.count()) * sizeof(float));
        if (!memory) return;
        view = View(reinterpret_cast<float*>(data), view.shape());
        weight = view;
      },
      layout_, weights_);
  return end;
}

}  // namespace tril
