#pragma once

#include "attention.h"

namespace tril::js {

// Inputs as attention's. Gives output (null where `out` was written) and, with a trace, maximum,
// sum and factor [B, H, T, N], partial [B, H, T, N, Dv] and visited [B, H, blocks of queries, N].
NamedTensors online_attention(Engine& engine, const Tensor& query, const Tensor& key,
                              const Tensor& value, const AttentionOptions& options,
                              int block_queries, int block_keys, Tensor* out);

}  // namespace tril::js
