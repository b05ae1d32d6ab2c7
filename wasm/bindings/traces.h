// The core's traces, made of tensors that JavaScript will own: every view that the core fills is a
// tensor of the same name in the call's results.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/block/decoder_block.h>
#include <tril/block/transformer_block.h>

#include <array>
#include <string>

#include "output.h"

namespace tril::js {

// The sizes that determine the shapes of multi-head attention's intermediate results.
struct MultiHeadShape {
  Index batches, queries, keys;
  Index heads, kv_heads;  // kv_heads = 0: as many as heads
  Index width;            // of one head
  bool softcap;           // whether scores are capped
  Index past = 0;         // number of cached keys before these

  // The width of a head according to the weights; arbitrary where these do not fit, which the core
  // refuses.
  static Index head_width(const MultiHeadWeights& weights, Index heads);
};

class Traces {
 public:
  // Names begin with `prefix`; the first `left_out` axes, of size 1, are dropped from the tensors'
  // shapes.
  Traces(Results& results, int left_out, std::string prefix = {})
      : results_(results), left_out_(left_out), prefix_(std::move(prefix)) {}

  Traces part(const std::string& name) const { return {results_, left_out_, prefix_ + name + "."}; }

  template <std::size_t Rank>
  TensorView<float, int{Rank}> make(const char* name, const std::array<Index, Rank>& shape) const {
    Tensor& tensor = results_.make(prefix_ + name, {shape.begin() + left_out_, shape.end()});
    return {tensor.data(), shape};
  }

  AttentionTrace attention(const Shape<4>& scores, bool softcap) const;
  MultiHeadTrace multi_head(const MultiHeadShape& shape) const;
  // The traces of blocks over `x`, with `hidden` the width of the feed-forward.
  TransformerBlockTrace transformer_block(const Shape<3>& x, Index hidden,
                                          const MultiHeadShape& attention) const;
  DecoderBlockTrace decoder_block(const Shape<3>& x, Index hidden, const MultiHeadShape& attention,
                                  const MultiHeadShape& cross) const;

 private:
  Results& results_;
  int left_out_;
  std::string prefix_;
};

}  // namespace tril::js
