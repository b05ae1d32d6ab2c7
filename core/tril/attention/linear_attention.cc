#include <tril/attention/attention_problem.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/score_kernels.h>
#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/matmul/hidden_rows.h>
#include <tril/matmul/method.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tril {
namespace {

using detail::AttentionProblem;

constexpr const char* kCall = "linear_attention";

// out = f(x) for one row.
void map_features(FeatureMap map, const float* x, Index count, float* out) noexcept {
  if (map == FeatureMap::elu_plus_one) {
    score_kernels().elu_plus_one(x, out, count);
  } else {
    std::copy_n(x, count, out);
  }
}

void map_features(FeatureMap map, const MatrixView<const float>& x,
                  const MatrixView<float>& out) noexcept {
  for (Index i = 0; i < x.size(0); ++i) {
    map_features(map, x[i].data(), x.size(1), out[i].data());
  }
}

float dot(const float* a, const float* b, Index count) noexcept {
  float sum = 0;
  for (Index i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// row /= sum.
void divide(float* row, Index count, float sum) noexcept {
  score_kernels().scale(row, row, count, 1.0f / sum);
}

// Whether a sum of products of features is exact enough. Products of features below e^-40 leave the
// range of float, and so does a product of 2^-40 with a value below 2^-86.
bool in_range(float sum) noexcept {
  return std::fabs(sum) >= 0x1p-40f && std::fabs(sum) <= 0x1p+90f;
}

// f(x), or e^(x - shift) for elements that are all negative. Multiplying the features of all
// queries, or of all keys, by one number does not change the weights.
double feature(FeatureMap map, float x, double shift) noexcept {
  if (map == FeatureMap::identity) return x;
  return x <= 0 ? exponential(std::max(x - shift, -1e4)) : x + 1.0;
}

// The number subtracted from all elements: their maximum, if it is negative.
class Shift {
 public:
  void add(const float* x, Index count) noexcept {
    for (Index i = 0; i < count; ++i) largest_ = std::max(largest_, x[i]);
  }
  double value() const noexcept { return std::isfinite(largest_) ? std::min(largest_, 0.0f) : 0; }

 private:
  float largest_ = -std::numeric_limits<float>::infinity();
};

// Row t of the output, and of the weights if asked for, over the first `keys` keys, in double:
// f(q_t) . f(k_s) of each key, divided by their sum, or 0 where the sum is 0.
void attend_in_double(const AttentionProblem& p, FeatureMap map, Index item, Index t, Index keys,
                      double* memory, float* weights) noexcept {
  const Index b = item / p.heads(), h = item % p.heads(), depth = p.depth();
  const float* const q = p.query[b][h][t].data();
  const MatrixView<const float> key = p.key[b][p.key_head(h)], value = p.value[b][p.key_head(h)];
  double* const features = memory;
  double* const sums = memory + depth;
  Shift query_shift, key_shift;
  query_shift.add(q, depth);
  for (Index s = 0; s < keys; ++s) key_shift.add(key[s].data(), depth);
  for (Index d = 0; d < depth; ++d) features[d] = feature(map, q[d], query_shift.value());
  const auto weight_of = [&](Index s) noexcept {
    double weight = 0;
    for (Index d = 0; d < depth; ++d) {
      weight += features[d] * feature(map, key[s].data()[d], key_shift.value());
    }
    return weight;
  };
  std::fill_n(sums, p.value_width(), 0.0);
  double total = 0;
  for (Index s = 0; s < keys; ++s) {
    const double weight = weight_of(s);
    total += weight;
    for (Index j = 0; j < p.value_width(); ++j) {
      sums[j] += weight * static_cast<double>(value[s].data()[j]);
    }
  }
  for (Index j = 0; j < p.value_width(); ++j) {
    p.out[b][h][t].data()[j] = total == 0 ? 0.0f : static_cast<float>(sums[j] / total);
  }
  for (Index s = 0; weights && s < keys; ++s) {
    weights[s] = total == 0 ? 0.0f : static_cast<float>(weight_of(s) / total);
  }
}

// f(K)^T V first, where every query sees every key:
//
// state [D, Dv] = f(K)^T V,  total [D] = the sum of the rows of f(K)
// out = f(Q) state;  each row divided by f(q_t) . total
void values_first(const AttentionProblem& p, const LinearAttentionOptions& options,
                  const Context& context) {
  const Index depth = p.depth(), width = p.value_width();
  Scratch::Frame frame(context.scratch);
  const MatrixView<float> q(frame.take<float>(p.queries(), depth), {p.queries(), depth});
  const MatrixView<float> k(frame.take<float>(p.keys(), depth), {p.keys(), depth});
  const MatrixView<float> state(frame.take<float>(depth, width), {depth, width});
  float* const total = frame.take<float>(depth);
  double* const memory = frame.take<double>(depth + width);
  for (Index item = 0; item < p.batches() * p.heads(); ++item) {
    const Index b = item / p.heads(), h = item % p.heads(), kh = p.key_head(h);
    map_features(options.feature_map, p.query[b][h], q);
    map_features(options.feature_map, p.key[b][kh], k);
    detail::run_matmul(k, p.value[b][kh], {.transpose_a = true}, state, context);
    detail::run_matmul(q, state, {}, p.out[b][h], context);
    if (!options.normalise) continue;
    std::fill_n(total, depth, 0.0f);
    for (Index s = 0; s < p.keys(); ++s) {
      for (Index d = 0; d < depth; ++d) total[d] += k[s].data()[d];
    }
    for (Index t = 0; t < p.queries(); ++t) {
      const float sum = dot(q[t].data(), total, depth);
      float* const out = p.out[b][h][t].data();
      if (in_range(sum) && detail::all_finite(out, width)) {
        divide(out, width, sum);
      } else {
        attend_in_double(p, options.feature_map, item, t, p.keys(), memory, nullptr);
      }
    }
  }
}

// The same where query t sees keys 0 .. t only, one head per thread. A column of ones beside the
// values makes the sum of f(k) a column of the state, and the divisor an element of its product:
//
// state [D, Dv + 1] = 0
// for each t:  state += f(k_t) [v_t, 1]^T, while there are keys
//              [out, sum] = f(q_t) state;  output_t = out / sum
void values_first_causal(const AttentionProblem& p, const LinearAttentionOptions& options,
                         const Context& context) {
  const Index depth = p.depth(), width = p.value_width();
  const Index padded = (width + 1 + 15) / 16 * 16;  // whole registers, as linear_step requires
  const Index rows = 2 * (padded + depth);
  Scratch::Frame frame(context.scratch);
  float* const states = frame.take<float>(depth, padded, context.parallel.threads());
  float* const memory = frame.take<float>(rows, context.parallel.threads());
  double* const doubles = frame.take<double>(depth + width, context.parallel.threads());
  context.parallel.for_each(p.batches() * p.heads(), [&](Index item, int worker) {
    const Index b = item / p.heads(), h = item % p.heads(), kh = p.key_head(h);
    float* const state = states + depth * padded * worker;
    float* const value = memory + rows * worker;
    float* const out = value + padded;
    float* const q = out + padded;
    float* const k = q + depth;
    std::fill_n(state, depth * padded, 0.0f);
    std::fill_n(value, rows, 0.0f);
    value[width] = 1.0f;
    for (Index t = 0; t < p.queries(); ++t) {
      if (t < p.keys()) {
        map_features(options.feature_map, p.key[b][kh][t].data(), depth, k);
        std::copy_n(p.value[b][kh][t].data(), width, value);
      } else if (t == p.keys()) {
        std::fill_n(k, depth, 0.0f);
        std::fill_n(value, width, 0.0f);  // an infinity must not meet the 0 again
      }
      map_features(options.feature_map, p.query[b][h][t].data(), depth, q);
      score_kernels().linear_step(q, k, value, depth, padded, state, out);
      float* const to = p.out[b][h][t].data();
      std::copy_n(out, width, to);
      if (!options.normalise) continue;
      if (in_range(out[width]) && detail::all_finite(to, width)) {
        divide(to, width, out[width]);
      } else {
        attend_in_double(p, options.feature_map, item, t, std::min(t + 1, p.keys()),
                         doubles + (depth + width) * worker, nullptr);
      }
    }
  });
}

// scores, in the memory of the weights if these are asked for, = f(Q) f(K)^T, 0 above the diagonal
// if causal;  each row divided by its sum
// out = scores V
void scores_first(const AttentionProblem& p, const LinearAttentionOptions& options,
                  TensorView<float, 4> weights, const Context& context) {
  const Index depth = p.depth(), keys = p.keys();
  Scratch::Frame frame(context.scratch);
  const MatrixView<float> q(frame.take<float>(p.queries(), depth), {p.queries(), depth});
  const MatrixView<float> k(frame.take<float>(keys, depth), {keys, depth});
  const MatrixView<float> own =
      weights ? MatrixView<float>()
              : MatrixView<float>(frame.take<float>(p.queries(), keys), {p.queries(), keys});
  double* const memory = frame.take<double>(depth + p.value_width());
  bool* const lost = frame.take<bool>(p.queries());
  for (Index item = 0; item < p.batches() * p.heads(); ++item) {
    const Index b = item / p.heads(), h = item % p.heads(), kh = p.key_head(h);
    map_features(options.feature_map, p.query[b][h], q);
    map_features(options.feature_map, p.key[b][kh], k);
    const MatrixView<float> scores = weights ? weights[b][h] : own;
    detail::run_matmul(q, k, {.transpose_b = true}, scores, context);
    for (Index t = 0; t < p.queries(); ++t) {
      float* const row = scores[t].data();
      if (options.causal) std::fill(row + std::min(t + 1, keys), row + keys, 0.0f);
      const float sum = options.normalise ? std::accumulate(row, row + keys, 0.0f) : 1.0f;
      lost[t] = !in_range(sum);
      if (options.normalise) divide(row, keys, lost[t] ? 1.0f : sum);
    }
    detail::run_hiding_matmul(scores, p.value[b][kh], {}, p.out[b][h], context);
    for (Index t = 0; t < p.queries(); ++t) {
      if (!lost[t]) continue;
      attend_in_double(p, options.feature_map, item, t,
                       options.causal ? std::min(t + 1, keys) : keys, memory,
                       weights ? scores[t].data() : nullptr);
    }
  }
}

}  // namespace

void linear_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const LinearAttentionOptions& options,
                      TensorView<float, 4> out, const Context& context,
                      TensorView<float, 4> weights) {
  const AttentionProblem problem =
      detail::checked_attention_problem(kCall, query, key, value, {}, out, {.weights = weights});
  if (weights && options.order != ProductOrder::scores_first) {
    fail(kCall, "weights", "multiplied values first, there are no weights to fill");
  }
  if (problem.empty()) return detail::run_attention(problem, context);
  if (options.order == ProductOrder::scores_first) {
    return scores_first(problem, options, weights, context);
  }
  if (options.causal) return values_first_causal(problem, options, context);
  values_first(problem, options, context);
}

}  // namespace tril
