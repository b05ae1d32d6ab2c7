#include "weights.h"

#include <tril/block/transformer.h>

#include <vector>

namespace tril::js {

namespace {

// find_parameters asks for every name that there can be, once; nothing is found.
template <typename Weights>
Names names_of() {
  std::vector<std::string> names;
  Weights none{};
  find_parameters(none, [&](const ParameterName& name, auto&) {
    names.push_back(name.text());
    return false;
  });
  return Names(emscripten::val::array(names));
}

}  // namespace

Names weight_names(const std::string& call) {
  if (call == "multiHeadAttention") return names_of<MultiHeadWeights>();
  if (call == "feedForward") return names_of<FeedForwardWeights>();
  if (call == "transformerBlock") return names_of<TransformerBlockWeights>();
  if (call == "decoderBlock") return names_of<DecoderBlockWeights>();
  return names_of<TransformerWeights>();
}

}  // namespace tril::js
