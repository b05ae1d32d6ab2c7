// Which keys a query may see, as a value: built from rules, combined with &, given to attention.
//
//   Mask::causal() & Mask::padding({3, 5})
//
// A mask of -inf added to the scores gives hidden keys a weight of exactly 0. Here a mask also
// knows which keys a block of queries can see at all, so that attention skips the rest.
#pragma once

#include <tril/attention/mask_rules.h>
#include <tril/foundation/named.h>
#include <tril/foundation/small_vector.h>

#include <optional>
#include <string_view>
#include <vector>

namespace tril {

// The rules that there are.
enum class MaskKind { causal, window, strided, padding, additive, boolean };

// Their names.
inline constexpr Named<MaskKind> kMaskKinds[] = {
    {"causal", MaskKind::causal},     {"window", MaskKind::window},
    {"strided", MaskKind::strided},   {"padding", MaskKind::padding},
    {"additive", MaskKind::additive}, {"boolean", MaskKind::boolean}};

// Rules that all have to let a key through. Copied as a value; dense rules borrow.
class Mask {
 public:
  // Every query sees every key.
  Mask() = default;

  // The key at the query's own position and those before it.
  static Mask causal();
  // From `left` keys before the query's own to `right` after it; none: no limit on that side.
  // Throws Error for a negative number.
  static Mask window(std::optional<Index> left, std::optional<Index> right);
  // Keys less than `local` away and those a multiple of `stride` away, before and after; with
  // causal() the strided pattern of Child et al. 2019. Throws Error for numbers below 1.
  static Mask strided(Index local, Index stride);
  // The first lengths[b] keys of batch b. Throws Error for a negative length; one that is longer
  // than there are keys is found by check().
  static Mask padding(std::vector<Index> lengths);
  // Added to the scores [B, H, T, S]; axes of 1 broadcast. -inf hides. Borrows the view.
  // `fewer_keys` says whether the axis of keys may be shorter than S.
  static Mask additive(TensorView<const float, 4> values,
                       FewerKeys fewer_keys = FewerKeys::refused);
  // True (not 0) where a key may be seen; axes of 1 broadcast. Borrows the view.
  static Mask boolean(TensorView<const std::uint8_t, 4> visible,
                      FewerKeys fewer_keys = FewerKeys::refused);

  // What both let through; additive masks add up.
  friend Mask operator&(Mask a, const Mask& b);

  // Throws Error naming `call` and "mask" unless every rule fits scores of this shape.
  void check(const Shape<4>& scores, const char* call) const;

  // The part of block.keys outside of which no query of the block sees anything; within it there
  // may be hidden keys too.
  KeyRange visible(const MaskBlock& block) const noexcept;

  // The part of the block's queries outside of which none sees any of block.keys; within it there
  // may be others that see none. What visible() is to keys: a backward goes by blocks of keys.
  QueryRange seeing(const MaskBlock& block) const noexcept;

  // Applies the mask to the scores of a block: row t - first_query, column key - keys.first, rows
  // `stride` apart. Hidden scores become -inf, whatever they were.
  void apply(const MaskBlock& block, float* scores, Index stride) const noexcept;

 private:
  explicit Mask(detail::MaskRule rule) { rules_.push_back(std::move(rule)); }

  detail::SmallVector<detail::MaskRule, 2> rules_;
};

// What the mask adds to the score of every query and key: out [B, H, T, S] is -inf where a query
// may not look, and else 0, or what additive masks add. Query t stands at key t + past. Throws
// Error where a rule does not fit that shape, and for a negative past.
void mask_values(const Mask& mask, Index past, TensorView<float, 4> out);

}  // namespace tril
