// Attention of low rank (Wang et al. 2020, "Linformer"): the S keys and values are projected to R
// before anything attends to them, so that time and memory grow with T R instead of T S:
//
//   out = softmax(scale * Q (E K)^T) (F V)      E, F [R, S]
//
// The projected keys belong to no position any more, so there is no mask.
#pragma once

#include <tril/attention/attention.h>

namespace tril {

// Options of low-rank attention.
struct LowRankOptions {
  std::optional<float> scale = {};  // 1 / sqrt(D) if not given
};

// query [B, H, T, D], key [B, Hk, S, D], value [B, Hk, S, Dv], e and f [R, S], out [B, H, T, Dv]; f
// may be e. The trace is [B, H, T, R]. Outputs may not share memory with inputs. Throws Error where
// shapes do not fit.
void low_rank_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                        TensorView<const float, 4> value, MatrixView<const float> e,
                        MatrixView<const float> f, const LowRankOptions& options,
                        TensorView<float, 4> out, const Context& context = {},
                        const AttentionTrace& trace = {});

}  // namespace tril
