// One head of keys and values, in two forms: packed into the panels of matmul/tile_kernels.h, for
// many queries, and read in place, for few.
#pragma once

#include <tril/attention/attention_steps.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::detail {

// Packed keys and values. Borrows its memory.
class KeyValuePanels {
 public:
  // The number of floats that it takes.
  static Index size(const AttentionProblem& problem) noexcept;

  KeyValuePanels(const AttentionProblem& problem, float* memory) noexcept;

  // Packs the keys and values of one head.
  void pack(Index batch, Index key_head) const noexcept;

  // The keys whose scores are computed where those of `keys` are asked for: the first panel is
  // whole.
  KeyRange widened(KeyRange keys) const noexcept {
    return {keys.first / kernels_.panel_cols * kernels_.panel_cols, keys.last};
  }

  // scores = scale * q k^T for widened `keys`; for each row at least those that it sees.
  void score(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
             const ScoreBlock& scores) const noexcept;

  // out += weights V for `keys`; for each row all keys that any row of its kRowGroup sees. A weight
  // of 0 hides its value, even one that is not finite.
  void add_values(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
                  const ScoreBlock& weights) const noexcept;

 private:
  const AttentionProblem& problem_;
  const TileKernels& kernels_ = tile_kernels();
  float* keys_;    // panels of K^T
  float* values_;  // panels of V, 0 where it is not finite
  float* finite_;  // 1 where all of V is finite, else 0
};

// Keys and values read in place.
class KeyValuesInPlace {
 public:
  explicit KeyValuesInPlace(const AttentionProblem& problem) noexcept : problem_(problem) {}

  // Returns `keys`: a score does not depend on the other keys of its step.
  KeyRange widened(KeyRange keys) const noexcept { return keys; }
  void score(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
             const ScoreBlock& scores) const noexcept;
  void add_values(const QueryBlock& block, const VisibleKeys& visible, KeyRange keys,
                  const ScoreBlock& weights) const noexcept;

 private:
  const AttentionProblem& problem_;
};

// Whether keys are read in place: few queries use each key so seldom that packing it would cost
// more than it saves.
inline bool is_in_place(const AttentionProblem& p) noexcept {
  constexpr Index kFewQueries = 8;
  return p.queries() <= kFewQueries;
}

// The maximum number of rows of a block with `queries` queries a head.
inline Index most_rows(const AttentionProblem& p, Index queries, bool each_head) noexcept {
  const Index group = is_in_place(p) && !each_head ? p.heads() / p.kv_heads() : 1;
  return group * std::min(queries, p.queries());
}

// Calls attend(keys and values, block, worker) for every block of `queries` queries. Few queries
// read keys and values in place, and all heads that share them form one block, unless `each_head`
// asks for one block per head; many queries read packed ones. Takes its memory before the first
// call.
//
// With enough heads for all threads, each thread packs a head and processes its queries, so that
// the panels are in its caches. Otherwise all threads first pack, then share the queries.
template <typename Attend>
void for_each_block(const AttentionProblem& p, Index queries, bool each_head, Scratch::Frame& frame,
                    const Context& context, const Attend& attend) {
  const Index kv_heads = p.batches() * p.kv_heads(), group = p.heads() / p.kv_heads();
  if (is_in_place(p)) {
    const QueryBlocks blocks(p, each_head ? 1 : group, queries);
    const KeyValuesInPlace in_place(p);
    context.parallel.for_each(
        blocks.count(), [&](Index item, int worker) { attend(in_place, blocks[item], worker); });
    return;
  }
  const QueryBlocks blocks(p, 1, queries);
  const Index size = KeyValuePanels::size(p), threads = context.parallel.threads();
  if (kv_heads % threads == 0 || kv_heads >= 8 * threads) {
    float* const memory = frame.take<float>(size, threads);
    context.parallel.for_each(kv_heads, [&](Index item, int worker) {
      const KeyValuePanels panels(p, memory + worker * size);
      panels.pack(item / p.kv_heads(), item % p.kv_heads());
      for (Index i = 0; i < blocks.in_group() * group; ++i) {
        attend(panels, blocks[(i / group) * kv_heads * group + item * group + i % group], worker);
      }
    });
    return;
  }
  float* const memory = frame.take<float>(size, kv_heads);
  context.parallel.for_each(kv_heads, [&](Index item, int) {
    KeyValuePanels(p, memory + item * size).pack(item / p.kv_heads(), item % p.kv_heads());
  });
  context.parallel.for_each(blocks.count(), [&](Index item, int worker) {
    const QueryBlock block = blocks[item];
    const Index key_head = block.batch * p.kv_heads() + p.key_head(block.head);
    attend(KeyValuePanels(p, memory + key_head * size), block, worker);
  });
}

}  // namespace tril::detail
