#include "weights.h"

#include "output.h"

namespace tril::js {

MatrixView<const float> Weights::matrix(const std::string& name) const {
  const Tensor* tensor = find(name);
  return tensor ? js::matrix(*tensor, call_, prefix_ + name) : MatrixView<const float>();
}

VectorView<const float> Weights::vector(const std::string& name) const {
  return optional_vector(find(name), call_, prefix_ + name);
}

const PackedMatrix* Weights::packed(const std::string& name) const {
  const Tensor* tensor = find(name);
  return tensor ? tensor->packed() : nullptr;
}

LinearWeights Weights::linear(const std::string& name) const {
  return {.weight = matrix(name + ".weight"),
          .bias = vector(name + ".bias"),
          .packed = packed(name + ".weight")};
}

NormWeights Weights::norm(const std::string& name) const {
  return {.weight = vector(name + ".weight"), .bias = vector(name + ".bias")};
}

MultiHeadWeights Weights::multi_head() const {
  return {
      .in_proj_weight = matrix("in_proj_weight"),
      .q_proj_weight = matrix("q_proj_weight"),
      .k_proj_weight = matrix("k_proj_weight"),
      .v_proj_weight = matrix("v_proj_weight"),
      .in_proj_bias = vector("in_proj_bias"),
      .out_proj_weight = matrix("out_proj.weight"),
      .out_proj_bias = vector("out_proj.bias"),
      .in_proj_packed = packed("in_proj_weight"),
      .q_proj_packed = packed("q_proj_weight"),
      .k_proj_packed = packed("k_proj_weight"),
      .v_proj_packed = packed("v_proj_weight"),
      .out_proj_packed = packed("out_proj.weight"),
  };
}

TransformerBlockWeights Weights::transformer_block() const {
  return {
      .self_attn = part("self_attn").multi_head(),
      .linear1 = linear("linear1"),
      .linear2 = linear("linear2"),
      .norm1 = norm("norm1"),
      .norm2 = norm("norm2"),
  };
}

DecoderBlockWeights Weights::decoder_block() const {
  return {
      .self_attn = part("self_attn").multi_head(),
      .multihead_attn = part("multihead_attn").multi_head(),
      .linear1 = linear("linear1"),
      .linear2 = linear("linear2"),
      .norm1 = norm("norm1"),
      .norm2 = norm("norm2"),
      .norm3 = norm("norm3"),
  };
}

}  // namespace tril::js
