// The steps of online softmax, for looking at: the method `online` of attention/flash_attention.h,
// which tells after each block of keys what it holds, with blocks of any size.
#pragma once

#include <tril/attention/attention.h>

namespace tril {

// How many queries and keys a step takes.
struct OnlineBlocks {
  Index queries = 64;  // rows of a block of scores
  Index keys = 128;    // its columns

  // How many blocks so many queries make, and how many steps so many keys.
  Index blocks_of(Index all) const noexcept { return parts(all, queries); }
  Index steps_of(Index all) const noexcept { return parts(all, keys); }

 private:
  // Rounded up; as one by one where the size is below 1, which online_attention refuses.
  static Index parts(Index all, Index size) noexcept {
    return size < 1 ? all : all / size + (all % size != 0);
  }
};

// The steps: views to fill; none: not wanted. N = ceil(S / blocks.keys) steps; each
// holds what is true after it.
struct OnlineTrace {
  TensorView<float, 4> maximum = {};  // [B, H, T, N]: the largest score seen; -inf: none yet
  TensorView<float, 4> sum = {};      // [B, H, T, N]: of e^(score - maximum)
  TensorView<float, 4> factor = {};   // [B, H, T, N]: what the sum and output before were scaled by
  TensorView<float, 5> partial = {};  // [B, H, T, N, Dv]: the output so far, not divided by the sum
  TensorView<float, 4> visited = {};  // [B, H, ceil(T / blocks.queries), N]: 1, or 0 if skipped
};

// As attention(); options.method is not looked at. Throws Error for what attention rejects, and for
// blocks of less than one query or key.
void online_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const AttentionOptions& options,
                      const OnlineBlocks& blocks, TensorView<float, 4> out,
                      const Context& context = {}, const OnlineTrace& trace = {});

}  // namespace tril
