#include <tril/attention/mask.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <limits>

namespace tril {
namespace {

// A distance beyond the end of any tensor, yet far enough from overflow to be added to a position.
constexpr Index kFurthest = std::numeric_limits<Index>::max() / 4;

}  // namespace

Mask Mask::causal() { return Mask(detail::WindowRule{detail::WindowRule::kUnlimited, 0}); }

Mask Mask::window(std::optional<Index> left, std::optional<Index> right) {
  const auto limit = [](std::optional<Index> keys, const char* side) {
    if (!keys) return detail::WindowRule::kUnlimited;
    if (*keys < 0) {
      fail("mask.window", side, {"must not be negative, is ", *keys});
    }
    return std::min(*keys, kFurthest);
  };
  return Mask(detail::WindowRule{limit(left, "left"), limit(right, "right")});
}

Mask Mask::strided(Index local, Index stride) {
  if (local < 1) {
    fail("mask.strided", "local", {"must be at least 1, is ", local});
  }
  if (stride < 1) {
    fail("mask.strided", "stride", {"must be at least 1, is ", stride});
  }
  return Mask(detail::StridedRule{local, stride});
}

Mask Mask::padding(std::vector<Index> lengths) {
  for (const Index length : lengths) {
    if (length < 0) {
      fail("mask.padding", "lengths", {"must not be negative, one is ", length});
    }
  }
  return Mask(detail::PaddingRule{std::move(lengths)});
}

Mask Mask::additive(TensorView<const float, 4> values, FewerKeys fewer_keys) {
  check_view(values, "mask.dense", "values", Empty::allowed);
  return Mask(detail::DenseRule<float>{values, fewer_keys});
}

Mask Mask::boolean(TensorView<const std::uint8_t, 4> visible, FewerKeys fewer_keys) {
  check_view(visible, "mask.dense", "values", Empty::allowed);
  return Mask(detail::DenseRule<std::uint8_t>{visible, fewer_keys});
}

Mask operator&(Mask a, const Mask& b) {
  for (const detail::MaskRule& rule : b.rules_) a.rules_.push_back(rule);
  return a;
}

void Mask::check(const Shape<4>& scores, const char* call) const {
  for (const detail::MaskRule& rule : rules_) {
    std::visit([&](const auto& r) { r.check(scores, call); }, rule);
  }
}

detail::SmallVector<MemoryRange, 2> Mask::memory() const {
  detail::SmallVector<MemoryRange, 2> ranges;
  for (const detail::MaskRule& rule : rules_) {
    std::visit(
        [&](const auto& r) {
          if constexpr (requires { r.values; }) ranges.push_back(memory_range(r.values));
        },
        rule);
  }
  return ranges;
}

KeyRange Mask::visible(const MaskBlock& block) const noexcept {
  MaskBlock narrowed = block;
  for (const detail::MaskRule& rule : rules_) {
    if (narrowed.keys.empty()) break;
    narrowed.keys = std::visit([&](const auto& r) { return r.visible(narrowed); }, rule);
  }
  if (narrowed.keys.empty()) return {block.keys.first, block.keys.first};
  return narrowed.keys;
}

QueryRange Mask::seeing(const MaskBlock& block) const noexcept {
  QueryRange seeing = {block.first_query, block.last_query};
  if (block.keys.empty()) return {block.first_query, block.first_query};
  MaskBlock narrowed = block;
  for (const detail::MaskRule& rule : rules_) {
    seeing = std::visit([&](const auto& r) { return r.seeing(narrowed); }, rule);
    if (seeing.empty()) return {block.first_query, block.first_query};
    narrowed.first_query = seeing.first, narrowed.last_query = seeing.last;
  }
  return seeing;
}

void Mask::apply(const MaskBlock& block, float* scores, Index stride) const noexcept {
  for (const detail::MaskRule& rule : rules_) {
    std::visit(
        [&](const auto& r) {
          for (Index query = block.first_query; query < block.last_query; ++query) {
            r.apply(block, query, scores + (query - block.first_query) * stride);
          }
        },
        rule);
  }
}

void mask_values(const Mask& mask, Index past, TensorView<float, 4> out) {
  constexpr const char* kCall = "mask_values";
  check_view(out, kCall, "out", Empty::allowed);
  mask.check(out.shape(), kCall);
  check_no_overlap(out, mask, kCall, "out");
  if (past < 0) fail(kCall, "past", {"must not be negative, is ", past});
  const Index queries = out.size(2), keys = out.size(3);
  if (keys == 0) return;  // there may be billions of queries
  for (Index b = 0; b < out.size(0); ++b) {
    for (Index h = 0; h < out.size(1); ++h) {
      for (Index t = 0; t < queries; ++t) std::fill_n(out[b][h][t].data(), keys, 0.0f);
      mask.apply({b, h, 0, queries, std::min(past, kFurthest), {0, keys}}, out[b][h].data(),
                 out.stride(2));
    }
  }
}

}  // namespace tril
