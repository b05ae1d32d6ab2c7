// Weights by PyTorch's names, as the core's structs of views. A missing weight becomes a null view;
// whether it is required is for the core to say.
#pragma once

#include <tril/foundation/parameters.h>

#include <string>
#include <string_view>
#include <vector>

#include "output.h"
#include "tensor.h"

namespace tril::js {

// The reader for find_parameters, one type for every struct, so that each struct's walk is compiled
// once.
class WeightReader {
 public:
  WeightReader(const NamedTensors& tensors, const char* call) : tensors_(&tensors), call_(call) {}
  // Finds no tensor, and collects the names instead.
  explicit WeightReader(std::vector<std::string>& names) : names_(&names) {}

  // Throw Error where the tensor has another number of axes.
  bool operator()(const ParameterName& name, VectorView<const float>& view) const;
  bool operator()(const ParameterName& name, MatrixView<const float>& view) const;
  bool operator()(const ParameterName& name, Weight& weight) const;

 private:
  const Tensor* find(const std::string& name) const;

  const NamedTensors* tensors_ = nullptr;
  const char* call_;
  std::vector<std::string>* names_ = nullptr;
};

// The weights of a core struct, taken from `weights` by name.
template <typename Weights>
Weights read_weights(const NamedTensors& tensors, const char* call) {
  Weights weights{};
  find_parameters(weights, WeightReader(tensors, call));
  return weights;
}

// Makes a gradient for each given weight, in its shape, named dWeights.NAME.
template <typename Gradients, typename Weights>
Gradients gradients_of(Results& results, const Weights& weights) {
  Gradients gradients{};
  tril::detail::copy_form(gradients, weights);
  zip_parameters(
      [&](const ParameterName& name, const auto& view, auto& place) {
        if (!view) return;
        const auto& shape = view.shape();
        place = {results.make("dWeights." + name.text(), {shape.begin(), shape.end()}).data(),
                 shape};
      },
      weights, gradients);
  return gradients;
}

}  // namespace tril::js
