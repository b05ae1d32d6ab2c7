// Attention by online softmax (Milakov and Gimelshein 2018; Dao et al. 2022, "FlashAttention"), the
// method `online`. It processes one block of keys after another and keeps only a maximum, a sum and
// the weighted values so far for each query. No row of scores is ever in memory as a whole, so
// memory does not grow with S. Blocks that the mask hides entirely are skipped.
#pragma once

#include <tril/attention/attention_steps.h>

namespace tril::detail {

// The numbers of queries and keys that a step takes.
struct FlashBlocks {
  Index queries = kQueryBlock;
  Index keys = 128;
};

// The state of a block of queries after a step.
struct FlashStep {
  const QueryBlock& queries;
  Index step;                  // the step's keys begin at step * blocks.keys
  bool visited;                // whether any query sees any of them; if not, the step was skipped
  const SoftmaxState* states;  // a row
  const float* factors;        // a row: the scale of its earlier output, if visited
};

// Observes each step, on the thread that made it.
class FlashObserver {
 public:
  virtual void after(const FlashStep& step) = 0;

 protected:
  ~FlashObserver() = default;
};

// Takes all working memory before it writes anything: a block of scores and the state of its
// queries for each thread, and packed keys and values.
void flash_attention(const AttentionProblem& problem, const FlashBlocks& blocks,
                     const Context& context, FlashObserver* observer = nullptr);

}  // namespace tril::detail
