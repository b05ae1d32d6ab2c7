#include <tril/block/sublayer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/unchecked.h>

#include <algorithm>

namespace tril::detail {
namespace {

// Calls body with tensors [B, T, ...] as [B T, ...] if all of them allow it, else once a batch.
template <typename Body, typename... View>
void for_rows(const Body& body, Index batches, const View&... views) {
  if (((!views || joined_rows(views)) && ...)) return body(joined_rows(views)...);
  for (Index b = 0; b < batches; ++b) body(views[b]...);
}

// Dropout of rows that are taken one part after another.
class DropoutRows {
 public:
  explicit DropoutRows(const std::optional<DropoutOptions>& all) : of_next_(all) {}
  // Of the next `count` rows.
  std::optional<DropoutOptions> next(Index count) {
    const std::optional<DropoutOptions> part = of_next_;
    if (of_next_) of_next_->first_row += count;
    return part;
  }

 private:
  std::optional<DropoutOptions> of_next_;
};

}  // namespace

void check_traced(OverlapCheck& overlap, const char* name, const MultiHeadTrace& trace) {
  const AttentionTrace& attention = trace.attention;
  overlap.writes_beside(name, trace.queries, trace.keys, trace.values, trace.heads,
                        trace.average_weights, attention.scores, attention.capped, attention.masked,
                        attention.weights, attention.log_sum_exp);
}

void layer_norm(const TensorView<const float, 3>& x, const NormWeights& weights, double eps,
                const TensorView<float, 3>& out, Parallel& parallel, const NormTrace& trace) {
  const auto rows = [&](const auto& x_rows, const auto& out_rows, const auto& mean,
                        const auto& rstd) {
    run_layer_norm(x_rows, weights.weight, weights.bias, eps, out_rows, parallel, {mean, rstd});
  };
  for_rows(rows, x.size(0), x, out, trace.mean, trace.rstd);
}

void layer_norm_backward(const TensorView<const float, 3>& d_out,
                         const TensorView<const float, 3>& x, const NormWeights& weights,
                         const NormTrace& trace, const TensorView<float, 3>& d_x,
                         const BasicNormWeights<float>& d_weights, Scratch& scratch,
                         Parallel& parallel) {
  const auto rows = [&](const auto& d_rows, const auto& x_rows, const auto& mean, const auto& rstd,
                        const auto& d_x_rows) {
    run_layer_norm_backward(d_rows, x_rows, weights.weight, mean, rstd,
                            {d_x_rows, d_weights.weight, d_weights.bias}, scratch, parallel);
  };
  for_rows(rows, x.size(0), d_out, x, trace.mean, trace.rstd, d_x);
}

void add(const TensorView<const float, 3>& x, const TensorView<const float, 3>& branch,
         const TensorView<float, 3>& out, Parallel& parallel) {
  const auto rows = [&](const auto& x_rows, const auto& branch_rows, const auto& out_rows) {
    run_add(x_rows, branch_rows, out_rows, parallel);
  };
  for_rows(rows, x.size(0), x, branch, out);
}

void drop(const TensorView<const float, 3>& x, const DropoutOptions& dropout,
          const TensorView<float, 3>& out, Parallel& parallel) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& x_rows, const auto& out_rows) {
    tril::dropout(x_rows, *of.next(x_rows.size(0)), out_rows, parallel);
  };
  for_rows(rows, x.size(0), x, out);
}

void feed_forward(const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                  Activation activation, const TensorView<float, 3>& out, Scratch& scratch,
                  Parallel& parallel, const BatchedFeedForwardTrace& trace,
                  const PreparedWeights* prepared, const std::optional<DropoutOptions>& dropout) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& x_rows, const auto& out_rows, const auto& hidden,
                        const auto& activated) {
    run_feed_forward(x_rows, weights, activation, out_rows, scratch, parallel, {hidden, activated},
                     prepared, of.next(x_rows.size(0)));
  };
  for_rows(rows, x.size(0), x, out, trace.hidden, trace.activated);
}

void feed_forward_backward(const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                           Activation activation, const BatchedFeedForwardTrace& trace,
                           const TensorView<float, 3>& d_x,
                           const BasicFeedForwardWeights<float>& d_weights, Scratch& scratch,
                           Parallel& parallel, const std::optional<DropoutOptions>& dropout) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& d_rows, const auto& x_rows, const auto& hidden,
                        const auto& activated, const auto& d_x_rows) {
    run_feed_forward_backward(d_rows, x_rows, weights, activation, {hidden, activated},
                              {d_x_rows, d_weights}, scratch, parallel, of.next(x_rows.size(0)));
  };
  for_rows(rows, x.size(0), d_out, x, trace.hidden, trace.activated, d_x);
}

void fail_part(const char* call, const Message& part, const Error& error) {
  fail(call, Message{part, ".", error.argument()}.text().c_str(), {error.problem()});
}

void check_norm(const char* call, const Message& name, const NormWeights& norm, Index width) {
  check_part(call, name, [&] {
    const Message why{"x has width ", width};
    if (norm.weight) check_shape(norm.weight, {width}, call, "weight", why);
    if (norm.bias) check_shape(norm.bias, {width}, call, "bias", why);
  });
}

}  // namespace tril::detail
