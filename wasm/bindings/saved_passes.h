// Forward passes that keep what their way back needs, so that it computes nothing again: output,
// unless `out` was written, and saved, a tensor of one axis whose numbers are the core's.
#pragma once

#include "multi_head_attention.h"
#include "transformer.h"

namespace tril::js {

// All else as the functions of these names without _saved.
NamedTensors multi_head_attention_saved(Engine& engine, const Tensor& x,
                                        const NamedTensors& weights, const Tensor* context,
                                        const Tensor* value_context,
                                        const MultiHeadOptions& options, Tensor* out);
NamedTensors transformer_block_saved(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                     const BlockOptions& options, Tensor* out);
NamedTensors decoder_block_saved(Engine& engine, const Tensor& x, const Tensor& memory,
                                 const NamedTensors& weights, const BlockOptions& options,
                                 const AttentionOptions& cross, Tensor* out);
NamedTensors transformer_saved(Engine& engine, const Tensor& source, const Tensor& target,
                               const NamedTensors& weights, const BlockOptions& options,
                               const AttentionOptions& source_attention,
                               const AttentionOptions& cross, Tensor* out);

}  // namespace tril::js
