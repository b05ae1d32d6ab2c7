// The steps of online softmax, for teaching: the method `online` of attention/flash_attention.h
// with blocks of any size, which reports its state after each block of keys.
#pragma once

#include <tril/attention/attention.h>

namespace tril {

// The numbers of queries and keys that a step takes.
struct OnlineBlocks {
  Index queries = 64;  // rows of a block
  Index keys = 128;    // its columns

  // The number of blocks of `all` queries, and of steps of `all` keys.
  Index blocks_of(Index all) const noexcept { return parts(all, queries); }
  Index steps_of(Index all) const noexcept { return parts(all, keys); }

 private:
  // all / size, rounded up; for a size below 1, which online_attention refuses, as with 1.
  static Index parts(Index all, Index size) noexcept {
    return size < 1 ? all : all / size + (all % size != 0);
  }
};

// Views to fill with the state after each of N = ceil(S / blocks.keys) steps; no view: not traced.
struct OnlineTrace {
  TensorView<float, 4> maximum = {};  // [B, H, T, N]: the largest score so far; -inf: none yet
  TensorView<float, 4> sum = {};      // [B, H, T, N]: of e^(score - maximum)
  TensorView<float, 4> factor = {};   // [B, H, T, N]: scale of the earlier sum and output
  TensorView<float, 5> partial = {};  // [B, H, T, N, Dv]: the output so far, not divided by the sum
  TensorView<float, 4> visited = {};  // [B, H, ceil(T / blocks.queries), N]: 1, or 0 if skipped
};

// The same as attention(); options.method is ignored. Throws Error as attention does, and for
// blocks of less than one query or key.
void online_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const AttentionOptions& options,
                      const OnlineBlocks& blocks, TensorView<float, 4> out,
                      const Context& context = {}, const OnlineTrace& trace = {});

}  // namespace tril
