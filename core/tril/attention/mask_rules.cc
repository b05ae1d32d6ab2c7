#include <tril/attention/mask_rules.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril::detail {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// The part of `range` from the first element to the last that passes.
template <typename Passes>
IndexRange trimmed(IndexRange range, const Passes& passes) noexcept {
  while (!range.empty() && !passes(range.first)) ++range.first;
  while (!range.empty() && !passes(range.last - 1)) --range.last;
  return range;
}

// Hides the scores of a row, whose keys are `row`, except those of `seen`.
void hide_outside(KeyRange row, KeyRange seen, float* scores) noexcept {
  const Index first = std::clamp(seen.first, row.first, row.last);
  const Index last = std::clamp(seen.last, first, row.last);
  std::fill(scores, scores + (first - row.first), kHidden);
  std::fill(scores + (last - row.first), scores + row.size(), kHidden);
}

// a mod b for b > 0, never negative.
Index remainder(Index a, Index b) noexcept {
  const Index rest = a % b;
  return rest < 0 ? rest + b : rest;
}

}  // namespace

KeyRange WindowRule::visible(const MaskBlock& block) const noexcept {
  KeyRange seen = block.keys;
  const Index first = block.first_query + block.offset, last = block.last_query - 1 + block.offset;
  if (left != kUnlimited) seen.first = std::max(seen.first, first - left);
  if (right != kUnlimited) seen.last = std::min(seen.last, last + right + 1);
  return seen;
}

// Query t sees a key of [first, last) where t + right >= first and t - left < last.
QueryRange WindowRule::seeing(const MaskBlock& block) const noexcept {
  QueryRange queries = {block.first_query, block.last_query};
  if (right != kUnlimited) {
    queries.first = std::max(queries.first, block.keys.first - right - block.offset);
  }
  if (left != kUnlimited) {
    queries.last = std::min(queries.last, block.keys.last + left - block.offset);
  }
  return queries;
}

void WindowRule::apply(const MaskBlock& block, Index query, float* scores) const noexcept {
  MaskBlock one = block;
  one.first_query = query, one.last_query = query + 1;
  hide_outside(block.keys, visible(one), scores);
}

bool StridedRule::sees(Index distance) const noexcept {
  return (distance < local && -distance < local) || distance % stride == 0;
}

bool StridedRule::sees_any(Index nearest, Index furthest) const noexcept {
  const bool near = nearest < local && -furthest < local;
  return near || remainder(-nearest, stride) <= furthest - nearest;
}

KeyRange StridedRule::visible(const MaskBlock& block) const noexcept {
  const Index first = block.first_query + block.offset, last = block.last_query - 1 + block.offset;
  return trimmed(block.keys, [&](Index key) { return sees_any(first - key, last - key); });
}

QueryRange StridedRule::seeing(const MaskBlock& block) const noexcept {
  return trimmed({block.first_query, block.last_query}, [&](Index query) {
    const Index position = query + block.offset;
    return sees_any(position - (block.keys.last - 1), position - block.keys.first);
  });
}

void StridedRule::apply(const MaskBlock& block, Index query, float* scores) const noexcept {
  const Index distance = query + block.offset - block.keys.first;
  for (Index i = 0; i < block.keys.size(); ++i) {
    if (!sees(distance - i)) scores[i] = kHidden;
  }
}

KeyRange PaddingRule::visible(const MaskBlock& block) const noexcept {
  const Index length = lengths[static_cast<std::size_t>(block.batch)];
  return {block.keys.first, std::min(block.keys.last, length)};
}

QueryRange PaddingRule::seeing(const MaskBlock& block) const noexcept {
  const bool any = block.keys.first < lengths[static_cast<std::size_t>(block.batch)];
  return {block.first_query, any ? block.last_query : block.first_query};
}

void PaddingRule::apply(const MaskBlock& block, Index, float* scores) const noexcept {
  hide_outside(block.keys, visible(block), scores);
}

void PaddingRule::check(const Shape<4>& scores, const char* call) const {
  const auto batches = static_cast<std::size_t>(scores[0]);
  if (lengths.size() != batches) {
    fail(call, "mask", {lengths.size(), " lengths for ", batches, " batches; scores are ", scores});
  }
  for (const Index length : lengths) {
    if (length <= scores[3]) continue;
    fail(call, "mask", {"length ", length, " is more than there are keys; scores are ", scores});
  }
}

namespace {

// One row of a dense mask: element k belongs to key k; step 0 repeats the only element. There are
// no elements from `keys` on.
template <typename T>
struct DenseRow {
  const T* data;
  Index step, keys;
  const T& operator[](Index key) const noexcept { return data[key * step]; }
};

template <typename T>
DenseRow<T> row_of(const DenseRule<T>& rule, const MaskBlock& block, Index query) noexcept {
  const TensorView<const T, 4>& values = rule.values;
  const auto at = [&](int axis, Index index) {
    return values.size(axis) == 1 ? 0 : index * values.stride(axis);
  };
  const T* const row = values.data() + at(0, block.batch) + at(1, block.head) + at(2, query);
  if (rule.fewer_keys == FewerKeys::hidden) return {row, 1, values.size(3)};
  return {row, values.size(3) == 1 ? 0 : 1, block.keys.last};
}

bool shows(float value) noexcept { return value != kHidden; }
bool shows(std::uint8_t value) noexcept { return value != 0; }

}  // namespace

template <typename T>
KeyRange DenseRule<T>::visible(const MaskBlock& block) const noexcept {
  // One row for all queries is scanned once.
  const Index last_query = values.size(2) == 1 ? block.first_query + 1 : block.last_query;
  KeyRange seen = {block.keys.last, block.keys.first};
  for (Index query = block.first_query; query < last_query; ++query) {
    const DenseRow<T> row = row_of(*this, block, query);
    const KeyRange there = {block.keys.first, std::min(block.keys.last, row.keys)};
    const KeyRange own = trimmed(there, [&](Index key) { return shows(row[key]); });
    if (own.empty()) continue;
    seen = {std::min(seen.first, own.first), std::max(seen.last, own.last)};
  }
  return seen;
}

template <typename T>
QueryRange DenseRule<T>::seeing(const MaskBlock& block) const noexcept {
  const auto sees_any = [&](Index query) {
    const DenseRow<T> row = row_of(*this, block, query);
    const Index last = std::min(block.keys.last, row.keys);
    for (Index key = block.keys.first; key < last; ++key) {
      if (shows(row[key])) return true;
    }
    return false;
  };
  // One row for all queries is scanned once.
  if (values.size(2) > 1) return trimmed({block.first_query, block.last_query}, sees_any);
  return {block.first_query, sees_any(0) ? block.last_query : block.first_query};
}

template <typename T>
void DenseRule<T>::apply(const MaskBlock& block, Index query, float* scores) const noexcept {
  const DenseRow<T> row = row_of(*this, block, query);
  for (Index i = 0; i < block.keys.size(); ++i) {
    const Index key = block.keys.first + i;
    if (key >= row.keys || !shows(row[key])) {
      scores[i] = kHidden;
    } else if constexpr (std::is_same_v<T, float>) {
      // A key hidden by another rule stays hidden, even where the sum would be NaN.
      scores[i] = scores[i] == kHidden ? kHidden : scores[i] + row[key];
    }
  }
}

template <typename T>
void DenseRule<T>::check(const Shape<4>& scores, const char* call) const {
  for (int axis = 0; axis < 4; ++axis) {
    const Index size = values.size(axis), wanted = scores[static_cast<std::size_t>(axis)];
    const bool fits =
        axis == 3 && fewer_keys == FewerKeys::hidden ? size <= wanted : size == 1 || size == wanted;
    if (fits) continue;
    fail(call, "mask",
         {"a dense mask ", values, " does not broadcast to the scores; scores are ", scores});
  }
}

template struct DenseRule<float>;
template struct DenseRule<std::uint8_t>;

}  // namespace tril::detail
