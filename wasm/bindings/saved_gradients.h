// What the ways back through things with weights by name have in common: each is given what its
// forward pass left on the way, or computes that pass again, and gives a gradient for each weight
// it was given.
#pragma once

#include <tril/foundation/parameters.h>

#include <string>

#include "output.h"

namespace tril::js {

// A gradient of each weight that is given, of its shape, called dWeights.NAME.
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

// That of an input, of its shape.
inline TensorView<float, 3> gradient(Results& results, const char* name, const Tensor& of,
                                     const Shape<3>& shape) {
  return {results.make(name, of.shape()).data(), shape};
}

}  // namespace tril::js
