#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/parameters.h>
#include <tril/matmul/narrow_kernels.h>
#include <tril/model/model_parameters.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";

const NarrowFormat& format_of(ElementType type) {
  const NarrowKernels& kernels = narrow_kernels();
  return type == ElementType::float16 ? kernels.float16 : kernels.bfloat16;
}

void check_memory(const char* what, double bytes) {
  if (!detail::may_have(bytes)) detail::fail_for_memory(kCall, what, bytes);
}

AlignedMemory memory_for(const char* what, double bytes) {
  check_memory(what, bytes);  // as a double, since it may be beyond any integer
  return {static_cast<std::size_t>(bytes), kCall, what};
}

}  // namespace

ModelParameters::ModelParameters(const ModelConfig& config, ParameterMemory memory)
    : config_(config), weights_(model_shapes(config)) {
  if (memory == ParameterMemory::floats) {
    allocate({});
    std::memset(memory_.data(), 0, memory_.bytes());
    return;
  }
  // A model that is too large for all the memory there is must be refused before its files are
  // read. But no memory is taken on the word of its settings alone: the heap of a WebAssembly
  // module never shrinks again.
  double numbers = 0;
  for_each_parameter(weights_, [&](const ParameterName&, const auto& view) {
    if (view) numbers += static_cast<double>(view.count());
  });
  check_memory("the parameters, of 16 bits each, take", numbers * sizeof(std::uint16_t));
}

const BasicModelWeights<float>& ModelParameters::weights() const {
  if (!narrow_.empty() || bytes() == 0) {
    fail("ModelParameters", "weights", bytes() == 0 ? "have not been read" : "have 16 bits each");
  }
  return weights_;
}

ElementType ModelParameters::type_of(const StoredParameter& parameter) const noexcept {
  const auto at = std::ranges::find_if(narrow_, [&](const NarrowMatrix& each) {
    return parameter.matrix && each.stand_in().data() == parameter.matrix->data();
  });
  return at == narrow_.end() ? ElementType::float32 : type_of(*at);
}

ElementType ModelParameters::type_of(const NarrowMatrix& matrix) noexcept {
  const bool half = matrix.format == &format_of(ElementType::float16);
  return half ? ElementType::float16 : ElementType::bfloat16;
}

std::vector<NumbersOfType> ModelParameters::types() const {
  Index floats = parameter_count(weights_), halves = 0, brain_floats = 0;
  for (const NarrowMatrix& each : narrow_) {
    const bool half = type_of(each) == ElementType::float16;
    (half ? halves : brain_floats) += each.rows * each.cols;
    floats -= each.rows * each.cols;
  }
  std::vector<NumbersOfType> types = {{ElementType::float32, floats},
                                      {ElementType::float16, halves},
                                      {ElementType::bfloat16, brain_floats}};
  std::erase_if(types, [](const NumbersOfType& each) { return each.count == 0; });
  return types;
}

void ModelParameters::allocate(std::span<const ElementType> types) {
  memory_ = memory_for("the parameters take", lay_out(types, nullptr));
  lay_out(types, memory_.data());
}

double ModelParameters::lay_out(std::span<const ElementType> types, std::byte* memory) {
  double end = 0, widest = 0;
  std::size_t matrices = 0;
  const auto bytes_of = [](Index count, ElementType type) {
    return static_cast<double>(count) * static_cast<double>(element_size(type));
  };
  // Each on a cache line of its own.
  const auto take = [&](Index count, ElementType type) {
    const double begin = end;
    end += std::ceil(bytes_of(count, type) / kAlignment) * kAlignment;
    return memory ? memory + static_cast<std::size_t>(begin) : nullptr;
  };
  for_each_parameter(weights_, [&](const ParameterName&, auto& view) {
    if (!view) return;
    if constexpr (requires { MatrixView<float>(view); }) {
      const ElementType type = types.empty() ? ElementType::float32 : types[matrices++];
      if (type != ElementType::float32) {
        const Index rows = view.size(0), cols = view.size(1);
        const auto* const data = reinterpret_cast<std::uint16_t*>(take(view.count(), type));
        widest = std::max(widest, bytes_of(cols, type));
        if (!memory) return;
        narrow_.push_back({&format_of(type), data, rows, cols, cols});
        const MatrixView<const float> stand_in = narrow_.back().stand_in();
        view = {const_cast<float*>(stand_in.data()), stand_in.shape(), stand_in.strides()};
        return;
      }
    }
    std::byte* const data = take(view.count(), ElementType::float32);
    using View = std::remove_reference_t<decltype(view)>;
    if (memory) view = View(reinterpret_cast<float*>(data), view.shape());
  });
  return end + widest;  // a row behind what stands in for the last
}

}  // namespace tril
