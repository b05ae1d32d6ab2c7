#include "weights.h"

#include <emscripten/bind.h>
#include <tril/block/transformer.h>

#include "guard.h"

namespace tril::js {

namespace {

// find_parameters asks for every possible name once; nothing is found.
template <typename Weights>
Names names_of() {
  std::vector<std::string> names;
  Weights none{};
  find_parameters(none, WeightReader(names));
  return Names(emscripten::val::array(names));
}

}  // namespace

const Tensor* WeightReader::find(const std::string& name) const {
  if (names_) names_->push_back(name);
  return tensors_ ? named(*tensors_, name.c_str()) : nullptr;
}

bool WeightReader::operator()(const ParameterName& name, VectorView<const float>& view) const {
  const std::string text = name.text();
  const Tensor* const tensor = find(text);
  if (tensor) view = optional_vector(tensor, call_, text.c_str());
  return tensor != nullptr;
}

bool WeightReader::operator()(const ParameterName& name, MatrixView<const float>& view) const {
  const std::string text = name.text();
  const Tensor* const tensor = find(text);
  if (tensor) view = matrix(*tensor, call_, text.c_str());
  return tensor != nullptr;
}

bool WeightReader::operator()(const ParameterName& name, Weight& weight) const {
  const std::string text = name.text();
  const Tensor* const tensor = find(text);
  if (tensor) weight = weight_of(*tensor, call_, text.c_str());
  return tensor != nullptr;
}

namespace {

// The possible names of the weights of "multiHeadAttention", "feedForward", "transformerBlock",
// "decoderBlock" or "transformer", with 0 as the number of every layer.
Names weight_names(const std::string& call) {
  if (call == "multiHeadAttention") return names_of<MultiHeadWeights>();
  if (call == "feedForward") return names_of<FeedForwardWeights>();
  if (call == "transformerBlock") return names_of<TransformerBlockWeights>();
  if (call == "decoderBlock") return names_of<DecoderBlockWeights>();
  return names_of<TransformerWeights>();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_weights) {
  using namespace emscripten;
  function("_weightNames", guard<&weight_names>);
}

}  // namespace tril::js
