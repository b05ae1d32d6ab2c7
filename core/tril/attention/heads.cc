#include <tril/attention/heads.h>
#include <tril/foundation/check.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/elementary.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tril::detail {
namespace {

// The rows [T, W] that are normalised in heads that lie side by side: those of one head, or of all.
template <typename T>
MatrixView<T> normed_rows(const TensorView<T, 4>& heads, Index batch, Index group,
                          Index width) noexcept {
  return {heads[batch].data() + group * width, {heads.size(2), width}, {heads.stride(2), 1}};
}

}  // namespace

StackedHeads split_stacked(const TensorView<float, 3>& all, Index heads, Index kv_heads) noexcept {
  const Index width = all.size(2) / (heads + 2 * kv_heads);
  const Index rows = heads * width, key_rows = kv_heads * width;
  return {split_heads(columns(all, 0, rows), heads),
          split_heads(columns(all, rows, key_rows), kv_heads),
          split_heads(columns(all, rows + key_rows, key_rows), kv_heads)};
}

TensorView<float, 3> stacked_heads(const StackedHeads& parts) noexcept {
  const auto& [queries, keys, values] = parts;
  if (!queries || !keys || !values) return {};
  const Index heads = queries.size(1), kv_heads = keys.size(1), width = queries.size(3);
  const TensorView<float, 3> all(
      queries.data(), {queries.size(0), queries.size(2), (heads + 2 * kv_heads) * width});
  const auto same = [](const TensorView<float, 4>& a, const TensorView<float, 4>& b) {
    return a.data() == b.data() && a.shape() == b.shape() && a.strides() == b.strides();
  };
  const StackedHeads expected = split_stacked(all, heads, kv_heads);
  const bool stacked =
      same(queries, expected.queries) && same(keys, expected.keys) && same(values, expected.values);
  return stacked ? all : TensorView<float, 3>();
}

void normalise_heads(const TensorView<float, 4>& heads, const VectorView<const float>& weight,
                     double eps, const TensorView<float, 3>& rstd, const Context& context) {
  if (!weight) return;
  const Shape<3> shape = rstd_shape(heads.shape(), weight);
  for (Index b = 0; b < shape[0]; ++b) {
    for (Index g = 0; g < shape[1]; ++g) {
      const MatrixView<float> rows = normed_rows(heads, b, g, weight.size(0));
      const VectorView<float> kept = rstd ? rstd[b][g] : VectorView<float>();
      Norm{NormKind::rms_norm, rows, weight, {}, eps, rows, {{}, kept}}.run(context);
    }
  }
}

void normalise_heads_backward(const TensorView<float, 4>& d_heads,
                              const TensorView<const float, 4>& unnormed,
                              const VectorView<const float>& weight,
                              const TensorView<const float, 3>& rstd,
                              const VectorView<float>& d_weight, const Context& context) {
  if (!weight) return;
  const Shape<4>& all = d_heads.shape();
  Scratch::Frame frame(context.scratch);
  TensorView<const float, 4> x = unnormed;
  if (!joined_heads(x)) {
    const Shape<3> joined = {all[0], all[2], all[1] * all[3]};
    const TensorView<float, 3> place(frame.take<float>(joined[0], joined[1], joined[2]), joined);
    copy(unnormed, split_heads(place, all[1]));
    x = split_heads(place, all[1]);
  }
  const Shape<3> shape = rstd_shape(all, weight);
  for (Index b = 0; b < shape[0]; ++b) {
    for (Index g = 0; g < shape[1]; ++g) {
      const MatrixView<float> d = normed_rows(d_heads, b, g, weight.size(0));
      const MatrixView<const float> rows = normed_rows(x, b, g, weight.size(0));
      NormBackward{NormKind::rms_norm, d, rows, weight, {}, rstd[b][g], {d, d_weight, {}}}.run(
          context);
    }
  }
}

void check_rotary(const char* call, const MultiHeadRotary& rotary, Index width, Index end) {
  const Index rotated = rotary.width == 0 ? width : rotary.width;
  if (rotated < 2 || rotated % 2 != 0 || rotated > width) {
    fail(call, "rotary.width",
         {"must be even, from 2 to the width of a head, ", width, "; is ", rotated});
  }
  if (!(std::isfinite(rotary.base) && rotary.base > 0)) {
    fail(call, "rotary.base", {"must be finite and above 0, is ", rotary.base});
  }
  if (!rotary.cos && !rotary.sin) {
    const double fastest = fastest_rotary_speed(rotary.base, {}, rotated / 2);
    if (static_cast<double>(end - 1) * fastest <= kLargestAngle) return;
    fail(call, "rotary.base",
         {"position ", end - 1, " times ", fastest,
          " radians, the fastest pair's, is more than 2^31"});
  }
  check_view(rotary.cos, call, "rotary.cos");
  if (rotary.cos.size(0) < end || rotary.cos.size(1) != rotated / 2) {
    fail(call, "rotary.cos",
         {"must have ", end, " rows or more of ", rotated / 2, " columns; shape is ", rotary.cos});
  }
  check_shape(rotary.sin, rotary.cos.shape(), call, "rotary.sin", "the shape of cos");
}

void rotate(Direction direction, const MultiHeadRotary& rotary, Index first,
            const TensorView<float, 4>& query, const TensorView<float, 4>& key,
            const Context& context) {
  const Index batches = query.size(0), count = std::max(query.size(2), key.size(2));
  const Index pairs = (rotary.width == 0 ? query.size(3) : rotary.width) / 2;
  Scratch::Frame frame(context.scratch);
  MatrixView<const float> cosine, sine;  // of the tokens in `heads`
  if (rotary.cos) {
    const Shape<2> shape = {count, pairs};
    cosine = {rotary.cos[first].data(), shape, rotary.cos.strides()};
    sine = {rotary.sin[first].data(), shape, rotary.sin.strides()};
  } else {
    const VectorView<std::int32_t> positions(frame.take<std::int32_t>(count), {count});
    std::iota(positions.data(), positions.data() + count, static_cast<std::int32_t>(first));
    const MatrixView<float> cosines(frame.take<float>(count, pairs), {count, pairs});
    const MatrixView<float> sines(frame.take<float>(count, pairs), {count, pairs});
    run_rotary_angles(positions, rotary.base, {}, cosines, sines);
    cosine = cosines, sine = sines;
  }
  for (const TensorView<float, 4>& each : {query, key}) {
    const auto table = [&](const MatrixView<const float>& all) {  // one table for all batches
      return TensorView<const float, 3>(all.data(), {batches, each.size(2), pairs},
                                        {0, all.stride(0), 1});
    };
    turn_pairs(direction, each, table(cosine), table(sine), rotary.pairs, each, context);
  }
}

}  // namespace tril::detail
