#include <tril/block/batched_layers.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/unchecked.h>

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

void norm(NormKind kind, const TensorView<const float, 3>& x, const NormWeights& weights,
          double eps, const TensorView<float, 3>& out, const Context& context,
          const NormTrace& trace) {
  if (kind == NormKind::none) return copy(x, out);
  const auto rows = [&](const auto& x_rows, const auto& out_rows, const auto& mean,
                        const auto& rstd) {
    if (kind == NormKind::layer_norm) {
      run_layer_norm(x_rows, weights.weight, weights.bias, eps, out_rows, context, {mean, rstd});
    } else {
      run_rms_norm(x_rows, weights.weight, eps, out_rows, context, rstd);
    }
  };
  for_rows(rows, x.size(0), x, out, trace.mean, trace.rstd);
}

void norm_backward(NormKind kind, const TensorView<const float, 3>& d_out,
                   const TensorView<const float, 3>& x, const NormWeights& weights,
                   const NormTrace& trace, const TensorView<float, 3>& d_x,
                   const BasicNormWeights<float>& d_weights, const Context& context) {
  if (kind == NormKind::none) return copy(d_out, d_x);
  const auto rows = [&](const auto& d_rows, const auto& x_rows, const auto& mean, const auto& rstd,
                        const auto& d_x_rows) {
    if (kind == NormKind::layer_norm) {
      run_layer_norm_backward(d_rows, x_rows, weights.weight, mean, rstd,
                              {d_x_rows, d_weights.weight, d_weights.bias}, context);
    } else {
      run_rms_norm_backward(d_rows, x_rows, weights.weight, rstd, {d_x_rows, d_weights.weight},
                            context);
    }
  };
  for_rows(rows, x.size(0), d_out, x, trace.mean, trace.rstd, d_x);
}

void add(const TensorView<const float, 3>& x, const TensorView<const float, 3>& y,
         const TensorView<float, 3>& out, const Context& context) {
  const auto rows = [&](const auto& x_rows, const auto& y_rows, const auto& out_rows) {
    run_add(x_rows, y_rows, out_rows, context);
  };
  for_rows(rows, x.size(0), x, y, out);
}

void drop(const TensorView<const float, 3>& x, const DropoutOptions& dropout,
          const TensorView<float, 3>& out, const Context& context) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& x_rows, const auto& out_rows) {
    tril::dropout(x_rows, *of.next(x_rows.size(0)), out_rows, context);
  };
  for_rows(rows, x.size(0), x, out);
}

void feed_forward(bool gated, const TensorView<const float, 3>& x,
                  const FeedForwardWeights& weights, Activation activation,
                  const TensorView<float, 3>& out, const Context& context,
                  const BatchedFeedForwardTrace& trace, const PreparedWeights* prepared,
                  const std::optional<DropoutOptions>& dropout) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& x_rows, const auto& out_rows, const auto& hidden,
                        const auto& activated) {
    run_feed_forward(gated, x_rows, weights, activation, out_rows, context, {hidden, activated},
                     prepared, of.next(x_rows.size(0)));
  };
  for_rows(rows, x.size(0), x, out, trace.hidden, trace.activated);
}

void feed_forward_backward(bool gated, const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                           Activation activation, const BatchedFeedForwardTrace& trace,
                           const TensorView<float, 3>& d_x,
                           const BasicFeedForwardWeights<float>& d_weights, const Context& context,
                           const std::optional<DropoutOptions>& dropout) {
  DropoutRows of(dropout);
  const auto rows = [&](const auto& d_rows, const auto& x_rows, const auto& hidden,
                        const auto& activated, const auto& d_x_rows) {
    run_feed_forward_backward(gated, d_rows, x_rows, weights, activation, {hidden, activated},
                              {d_x_rows, d_weights}, context, of.next(x_rows.size(0)));
  };
  for_rows(rows, x.size(0), d_out, x, trace.hidden, trace.activated, d_x);
}

}  // namespace tril::detail
