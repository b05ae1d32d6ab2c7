// Weights by PyTorch's names, as the core's structs of views. A weight that is not there becomes
// none: whether it must be is the core's to say.
#pragma once

#include <tril/foundation/parameters.h>

#include <string>
#include <string_view>

#include "output.h"
#include "tensor.h"

namespace tril::js {

// A parameter of one axis or two as the core sees it. Throws Error where the tensor has another
// number of axes.
inline VectorView<const float> parameter(const Tensor& tensor, std::string_view call,
                                         const std::string& name, VectorView<const float>) {
  return optional_vector(&tensor, call, name);
}
inline MatrixView<const float> parameter(const Tensor& tensor, std::string_view call,
                                         const std::string& name, MatrixView<const float>) {
  return matrix(tensor, call, name);
}

// The weights of a core struct among those of these names.
template <typename Weights>
Weights read_weights(const NamedTensors& tensors, std::string_view call) {
  Weights weights{};
  find_parameters(weights, [&](const ParameterName& name, auto& view) {
    const std::string text = name.text();
    const Tensor* const tensor = named(tensors, text.c_str());
    if (tensor) view = parameter(*tensor, call, text, view);
    return tensor != nullptr;
  });
  return weights;
}

// The names that the weights of "multiHeadAttention", "feedForward", "transformerBlock",
// "decoderBlock" or "transformer" can have, the number of every layer being 0.
Names weight_names(const std::string& call);

}  // namespace tril::js
