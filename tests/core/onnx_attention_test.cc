// ONNX's Attention (opset 24) as a yardstick: everything that its specification allows in float32,
// with our options, against its definition in double.
//
//   attn_mask         Mask::additive or boolean; shorter than the keys: FewerKeys::hidden
//   is_causal, scale, softcap, kv_num_heads      options and shapes of the same meaning
//   past_key, past_value, present_key, present_value      the caller's keys, `past` of them before
//   nonpad_kv_seqlen  key_lengths
//   3-D inputs        views whose heads are side by side
//   qk_matmul_output_mode 0, 1, 2, 3      the trace: scores, capped, masked, weights
//
// A query that sees no key gets zeros here, where the definition has 0 over 0.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>
#include <tril/lessons/online_attention.h>

#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/attention_reference.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::ErrorBound;
using testing::max_abs;

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr Index B = 2, T = 3, New = 4, Past = 2, D = 5, Dv = 3;

enum class Cache { none, past, lengths };
enum class Kind { none, additive, boolean };

struct Case {
  Index heads, kv_heads;
  Cache cache;
  Kind kind;
  int mask_rank;
  bool short_mask, causal, packed;
  float softcap;
  std::optional<float> scale;

  std::string name() const {
    std::ostringstream text;
    text << heads << "/" << kv_heads << " heads, cache " << static_cast<int>(cache) << ", mask "
         << static_cast<int>(kind) << " of rank " << mask_rank << (short_mask ? ", short" : "")
         << (causal ? ", causal" : "") << (packed ? ", packed" : "") << ", softcap " << softcap;
    return text.str();
  }
};

// A tensor [B, H, L, W], in memory like that or as [B, L, H W].
struct Heads {
  Heads(Index heads, Index length, Index width, bool packed, Random& random)
      : memory({B * heads * length * width}),
        view(memory.data(), {B, heads, length, width},
             packed ? Shape<4>{length * heads * width, width, heads * width, 1}
                    : contiguous_strides<4>({B, heads, length, width})) {
    fill_normal(memory.view(), random);
  }
  Buffer<float, 1> memory;
  TensorView<float, 4> view;
};

// The attn_mask of a case: numbers in a shape of its rank, whose axes except the last may be 1.
struct OnnxMask {
  OnnxMask(const Case& c, Index keys, Random& random)
      : shape{c.mask_rank > 3 ? B : 1, c.mask_rank > 2 ? c.heads : 1, T,
              c.short_mask ? keys - 2 : keys} {
    for (Index i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; ++i) {
      const bool sees = random.below(4) != 0;
      boolean.push_back(sees);
      additive.push_back(sees ? random.normal() : -std::numeric_limits<float>::infinity());
    }
  }

  Mask ours(const Case& c) const {
    const FewerKeys fewer_keys = c.short_mask ? FewerKeys::hidden : FewerKeys::refused;
    if (c.kind == Kind::additive) return Mask::additive({additive.data(), shape}, fewer_keys);
    if (c.kind == Kind::boolean) return Mask::boolean({boolean.data(), shape}, fewer_keys);
    return {};
  }

  // The number that the definition adds to a score: the mask padded with -inf or false, and
  // broadcast.
  double value(const Case& c, Index b, Index h, Index t, Index s) const {
    if (c.kind == Kind::none) return 0;
    if (s >= shape[3]) return kHidden;
    const auto at = static_cast<std::size_t>(
        ((b % shape[0] * shape[1] + h % shape[1]) * shape[2] + t) * shape[3] + s);
    if (c.kind == Kind::boolean) return boolean[at] ? 0 : kHidden;
    return static_cast<double>(additive[at]);
  }

  Shape<4> shape;
  std::vector<float> additive;
  std::vector<std::uint8_t> boolean;
};

void expect_agreement(const Case& c, Random& random) {
  const Index past = c.cache == Cache::past ? Past : 0, keys = New + past;
  Heads query(c.heads, T, D, c.packed, random), key(c.kv_heads, keys, D, c.packed, random);
  Heads value(c.kv_heads, keys, Dv, c.packed, random);
  Heads output(c.heads, T, Dv, c.packed, random);
  const OnnxMask mask(c, keys, random);
  // nonpad_kv_seqlen; one is so short that early queries come before the first key.
  const std::vector<Index> lengths = {keys - 1, T - 1};

  AttentionOptions options = {.causal = c.causal,
                              .mask = mask.ours(c),
                              .scale = c.scale,
                              .softcap = c.softcap,
                              .past = past};
  if (c.cache == Cache::lengths) options.key_lengths = lengths;

  // attn_bias: the mask, 0 up to the diagonal that the cache shifts, 0 for real keys.
  const auto bias = [&](Index b, Index h, Index t, Index s) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    const Index offset = c.cache == Cache::lengths ? length - T : past;
    if (c.causal && s > t + offset) return kHidden;
    if (c.cache == Cache::lengths && s >= length) return kHidden;
    return mask.value(c, b, h, t, s);
  };
  const double scale = c.scale ? static_cast<double>(*c.scale) : 1 / std::sqrt(double{D});
  const auto expected =
      testing::attention_reference(query.view, key.view, value.view, scale, c.softcap, bias);
  // A soft cap rounds numbers of its own size a few times.
  const ErrorBound bound(max_abs(query.view), max_abs(key.view), max_abs(value.view), scale,
                         5 + 8 * static_cast<double>(c.softcap), D, keys);

  const Shape<4> scores = {B, c.heads, T, keys};
  Buffer<float, 4> raw(scores), capped(scores), masked(scores), weights(scores);
  for (const auto method : {AttentionMethod::full, AttentionMethod::blocked}) {
    options.method = method;
    attention(query.view, key.view, value.view, options, output.view, {},
              {raw, capped, masked, weights});
    EXPECT_TRUE(close(expected.scores, raw, bound.score));
    EXPECT_TRUE(close(expected.capped, capped, bound.score));
    EXPECT_TRUE(close(expected.masked, masked, bound.score));
    EXPECT_TRUE(close(expected.weights, weights, bound.weight));
    EXPECT_TRUE(close(expected.output, output.view, bound.output));
  }
  options.method = AttentionMethod::online;
  attention(query.view, key.view, value.view, options, output.view);
  EXPECT_TRUE(close(expected.output, output.view, bound.output));
  online_attention(query.view, key.view, value.view, options, {2, 3}, output.view);
  EXPECT_TRUE(close(expected.output, output.view, 2 * bound.output));
}

TEST(OnnxAttention, EveryCombinationOfItsOptionsGivesItsResult) {
  Random random(24);
  int count = 0;
  for (const auto& [heads, kv_heads] : {std::pair<Index, Index>{3, 3}, {4, 2}, {4, 1}}) {
    for (const Cache cache : {Cache::none, Cache::past, Cache::lengths}) {
      for (const Kind kind : {Kind::none, Kind::additive, Kind::boolean}) {
        for (const int rank : {2, 3, 4}) {
          for (const bool short_mask : {false, true}) {
            if (kind == Kind::none && (rank > 2 || short_mask)) continue;
            for (const bool causal : {false, true}) {
              for (const float softcap : {0.0f, 2.0f}) {
                const bool packed = count % 2 == 1;
                const std::optional<float> scale =
                    count % 3 == 0 ? std::optional<float>() : 0.3f * static_cast<float>(count % 3);
                const Case c{heads,      kv_heads, cache,  kind,    rank,
                             short_mask, causal,   packed, softcap, scale};
                SCOPED_TRACE(c.name());
                expect_agreement(c, random);
                ++count;
                if (::testing::Test::HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(count, 3 * 3 * 13 * 4);
}

// past_key and past_value: attention reads the present, so one call over all tokens and one call
// per token with the past give the same.
TEST(OnnxAttention, TokenByTokenWithAPastIsTheWholeAtOnce) {
  Random random(25);
  Heads query(2, T, D, false, random), key(2, T, D, false, random), value(2, T, Dv, false, random);
  Heads whole(2, T, Dv, false, random), step(2, 1, Dv, false, random);
  attention(query.view, key.view, value.view, {.causal = true}, whole.view);
  const auto part = [](const TensorView<float, 4>& view, Index first, Index count) {
    Shape<4> shape = view.shape();
    shape[2] = count;
    return TensorView<const float, 4>(view.data() + first * view.stride(2), shape, view.strides());
  };
  const double scale = 1 / std::sqrt(static_cast<double>(D));
  const ErrorBound bound(max_abs(query.view), max_abs(key.view), max_abs(value.view), scale, 0, D,
                         T);
  for (Index t = 0; t < T; ++t) {
    attention(part(query.view, t, 1), part(key.view, 0, t + 1), part(value.view, 0, t + 1),
              {.causal = true, .past = t}, step.view);
    EXPECT_TRUE(close(part(whole.view, t, 1), step.view, 2 * bound.output));
  }
}

}  // namespace
}  // namespace tril
