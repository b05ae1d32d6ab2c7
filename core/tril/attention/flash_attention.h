// Attention by online softmax (Milakov and Gimelshein 2018; Dao et al. 2022, "FlashAttention"), the
// method `online`: blocks of keys go by, and for each query only a maximum, a sum and the weighted
// values so far are kept. No row of scores is ever held whole, so the memory needed does not grow
// with S; blocks that the mask hides whole are skipped.
#pragma once

#include <tril/attention/attention_steps.h>

namespace tril::detail {

// How many queries and keys a step takes.
struct FlashBlocks {
  Index queries = kQueryBlock;
  Index keys = 128;
};

// What is true of a block of queries after one of its steps.
struct FlashStep {
  const QueryBlock& queries;
  Index step;                  // of keys step * blocks.keys and those after it
  bool visited;                // whether any query may see any of them; if not, nothing was done
  const SoftmaxState* states;  // a row
  const float* factors;        // a row: by what its output before was scaled, if visited
};

// Called with each step, by the thread that made it: for looking at.
class FlashObserver {
 public:
  virtual void after(const FlashStep& step) = 0;

 protected:
  ~FlashObserver() = default;
};

// Takes its working memory before it writes anything: for each thread a block of scores and the
// state of its queries, and packed keys and values.
void flash_attention(const AttentionProblem& problem, const FlashBlocks& blocks,
                     const Context& context, FlashObserver* observer = nullptr);

}  // namespace tril::detail
