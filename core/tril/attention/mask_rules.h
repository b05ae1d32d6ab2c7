// The rules that a Mask is made of. Each one answers three questions about a block of scores:
//
//   visible(block)            a range of keys outside of which no query of the block sees anything
//   seeing(block)             a range of queries outside of which none sees any of block.keys
//   apply(block, t, scores)   hides (-inf) or shifts the scores of query t, one row
//
// and check()s itself against the shape of the scores before any is asked.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace tril {

// Neighbours on an axis, [first, last); empty where first == last.
struct IndexRange {
  Index first = 0;                                       // in the range
  Index last = 0;                                        // not in it any more
  Index size() const noexcept { return last - first; }   // how many there are
  bool empty() const noexcept { return first >= last; }  // there are none
};
using KeyRange = IndexRange;    // of keys
using QueryRange = IndexRange;  // of queries

// Scores of queries [first_query, last_query) and of `keys`, of one head of one batch. Query t
// stands at position t + offset on the axis of keys: with 10 past keys, query 0 is key 10.
struct MaskBlock {
  Index batch = 0;        // which batch
  Index head = 0;         // which head
  Index first_query = 0;  // in the block
  Index last_query = 0;   // not in it any more
  Index offset = 0;       // where query 0 stands
  KeyRange keys = {};     // which keys
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
  bool sees_any(Index nearest, Index furthest) const noexcept;  // of neighbouring distances
  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>&, const char*) const noexcept {}
};

// Of batch b only the first lengths[b] keys are real.
struct PaddingRule {
  std::vector<Index> lengths;

  KeyRange visible(const MaskBlock& block) const noexcept;
  QueryRange seeing(const MaskBlock& block) const noexcept;
  void apply(const MaskBlock& block, Index query, float* scores) const noexcept;
  void check(const Shape<4>& scores, const char* call) const;
};

// A value for every score; an axis of 1 stands for every index. The view is borrowed.
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
