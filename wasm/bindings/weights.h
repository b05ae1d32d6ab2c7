// Weights by PyTorch's names, as the core's structs of views. A weight that is not there becomes
// none: whether it must be is the core's to say.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/block/decoder_block.h>
#include <tril/block/transformer_block.h>

#include <string>
#include <string_view>

#include "tensor.h"

namespace tril::js {

class Weights {
 public:
  // Only names that begin with `prefix` ("", or "layers.0."), which is then left out.
  Weights(const NamedTensors& named, std::string_view call, std::string prefix = {})
      : named_(named), call_(call), prefix_(std::move(prefix)) {}

  Weights part(const std::string& name) const { return {named_, call_, prefix_ + name + "."}; }
  bool has(const std::string& name) const { return find(name) != nullptr; }

  // Throw Error, in the name of the call, where the tensor has another number of axes.
  MatrixView<const float> matrix(const std::string& name) const;
  VectorView<const float> vector(const std::string& name) const;

  // The matrix's packed form, or null.
  const PackedMatrix* packed(const std::string& name) const;
  LinearWeights linear(const std::string& name) const;
  NormWeights norm(const std::string& name) const;
  MultiHeadWeights multi_head() const;
  TransformerBlockWeights transformer_block() const;
  DecoderBlockWeights decoder_block() const;

 private:
  const Tensor* find(const std::string& name) const {
    return named(named_, (prefix_ + name).c_str());
  }

  const NamedTensors& named_;
  std::string_view call_;
  std::string prefix_;
};

}  // namespace tril::js
