// The rules that a Mask is made of. Each one answers three questions about a block of scores:
//
//   visible(block)            a range of keys that contains all keys visible to the block's queries
//   seeing(block)             a range of queries that contains all that see any of block.keys
//   apply(block, t, scores)   hides (-inf) or shifts the scores of query t, one row
//
// check() compares a rule with the shape of the scores before the first question.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace tril {

// Indices [first, last) of an axis; empty where first == last.
struct IndexRange {
  Index first = 0;                                       // the first index
  Index last = 0;                                        // the index after the last one
  Index size() const noexcept { return last - first; }   // the number of indices
  bool empty() const noexcept { return first >= last; }  // whether there are none
};
using KeyRange = IndexRange;    // of keys
using QueryRange = IndexRange;  // of queries

// Scores of queries [first_query, last_query) and of `keys`, of one head of one batch. Query t is
// at the position of key t + offset: with 10 past keys, query 0 is at key 10.
struct MaskBlock {
  Index batch = 0;        // number of the batch
  Index head = 0;         // number of the head
  Index first_query = 0;  // the first query of the block
  Index last_query = 0;   // the query after its last one
  Index offset = 0;       // position of query 0 among the keys
  KeyRange keys = {};     // the keys of the block
};

// Whether a dense mask may have fewer keys than there are. `hidden` hides the keys after its end;
// its axis of keys is then never broadcast. (ONNX's Attention allows it, as padding with -inf.)
// `none` is the former name of `refused`.
enum class FewerKeys { refused, hidden, none = refused };
// The former name.
using KeysBeyond [[deprecated("is FewerKeys now")]] = FewerKeys;

namespace detail {

// A query sees the keys from `left` before its own position to `right` after it; kUnlimited: all.
struct WindowRule {
  static constexpr Index kUnlimited = -1;
  Index left, right;

  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>&, const char*) const noexcept {}
};

// A query sees the keys less than `local` away, and those a multiple of `stride` away.
struct StridedRule {
  Index local, stride;

  bool sees(Index distance) const noexcept;
  bool sees_any(Index nearest, Index furthest) const noexcept;  // of the distances in between
  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>&, const char*) const noexcept {}
};

// Hides the padding: only the first lengths[b] keys of batch b are real.
struct PaddingRule {
  std::vector<Index> lengths;

  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>& scores, const char* call) const;
};

// One value a score; an axis of size 1 broadcasts. Borrows the view.
template <typename T>  // float: added to the score; std::uint8_t: 0 hides it
struct DenseRule {
  TensorView<const T, 4> values;
  FewerKeys fewer_keys = FewerKeys::refused;

  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>& scores, const char* call) const;
};

using MaskRule =
    std::variant<WindowRule, StridedRule, PaddingRule, DenseRule<float>, DenseRule<std::uint8_t>>;

}  // namespace detail
}  // namespace tril
