// A mask, the keys that each query may see, as a value: built from rules, combined with &, and
// given to attention.
//
//   Mask::causal() & Mask::padding({3, 5})
//
// Hidden keys get a score of -inf, and so a weight of exactly 0. A mask also knows which keys a
// block of queries can see at all, and attention skips the others.
#pragma once

#include <tril/attention/mask_rules.h>
#include <tril/foundation/named.h>
#include <tril/foundation/small_vector.h>

#include <optional>
#include <string_view>
#include <vector>

namespace tril {

// The kinds of rules.
enum class MaskKind { causal, window, strided, padding, additive, boolean };

// Their names.
inline constexpr Named<MaskKind> kMaskKinds[] = {
    {"causal", MaskKind::causal},     {"window", MaskKind::window},
    {"strided", MaskKind::strided},   {"padding", MaskKind::padding},
    {"additive", MaskKind::additive}, {"boolean", MaskKind::boolean}};

// A conjunction of rules: a key is visible where every rule allows it. Copied as a value; dense
// rules borrow their tensor.
class Mask {
 public:
  // Every query sees every key.
  Mask() = default;

  // Allows the key at the query's own position and all before it.
  static Mask causal();
  // Allows `left` keys before the query's own position to `right` after it; no value: no limit on
  // that side. Throws Error for a negative number.
  static Mask window(std::optional<Index> left, std::optional<Index> right);
  // Allows keys less than `local` away and keys a multiple of `stride` away, before and after; with
  // causal() this is the strided pattern of Child et al. 2019. Throws Error for numbers below 1.
  static Mask strided(Index local, Index stride);
  // Allows the first lengths[b] keys of batch b. Throws Error for a negative length; check() finds
  // a length above the number of keys.
  static Mask padding(std::vector<Index> lengths);
  // Adds `values` to the scores [B, H, T, S]; axes of 1 broadcast, -inf hides. Borrows the view.
  // `fewer_keys` says whether the axis of keys may be shorter than S.
  static Mask additive(TensorView<const float, 4> values,
                       FewerKeys fewer_keys = FewerKeys::refused);
  // Allows a key where `visible` is not 0; axes of 1 broadcast. Borrows the view.
  static Mask boolean(TensorView<const std::uint8_t, 4> visible,
                      FewerKeys fewer_keys = FewerKeys::refused);

  // The keys that both masks allow; additive masks add up.
  friend Mask operator&(Mask a, const Mask& b);

  // Throws Error naming `call` and "mask" unless every rule fits scores of this shape.
  void check(const Shape<4>& scores, const char* call) const;

  // The memory that dense rules borrow: nothing that is written may lie there.
  detail::SmallVector<MemoryRange, 2> memory() const;

  // The range of block.keys outside of which every key is hidden from all queries of the block.
  // Keys inside it may be hidden, too.
  KeyRange visible(const MaskBlock& block) const noexcept;

  // The same for queries: the range of the block's queries outside of which no query sees any of
  // block.keys. Backward passes, which go by blocks of keys, use it.
  QueryRange seeing(const MaskBlock& block) const noexcept;

  // Applies the mask to the scores of a block, whose rows are `stride` apart: the score of query t
  // and a key is in row t - first_query and column key - keys.first. Hidden scores become -inf,
  // whatever they were.
  void apply(const MaskBlock& block, float* scores, Index stride) const noexcept;

 private:
  explicit Mask(detail::MaskRule rule) { rules_.push_back(std::move(rule)); }

  detail::SmallVector<detail::MaskRule, 2> rules_;
};

// Throws Error where a view that is written shares memory with the mask.
template <typename Out>
void check_no_overlap(const Out& out, const Mask& mask, const char* call, const char* argument) {
  if (!out) return;
  for (const MemoryRange& range : mask.memory()) {
    if (memory_range(out).overlaps(range)) fail(call, argument, "shares memory with the mask");
  }
}

// Writes the mask as a tensor that can be added to scores: out [B, H, T, S] is -inf where a key is
// hidden, else the sum of the additive masks or 0. Query t is at the position of key t + past.
// Throws Error where a rule does not fit that shape, and for a negative past.
void mask_values(const Mask& mask, Index past, TensorView<float, 4> out);

}  // namespace tril
