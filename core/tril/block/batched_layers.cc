#include <tril/block/batched_layers.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/unchecked.h>

namespace tril::detail {
namespace {

// Calls body with tensors [B, T, ...] as [B T, ...] if all of them allow it, else once per batch.
template <typename Body, typename... View>
void for_rows(const Body& body, Index batches, const View&... views) {
  if (((!views || joined_rows(views)) && ...)) return body(joined_rows(views)...);
  for (Index b = 0; b < batches; ++b) body(views[b]...);
}

}  // namespace

void norm(NormKind kind, const TensorView<const float, 3>& x, const NormWeights& weights,
          double eps, const TensorView<float, 3>& out, const Context& context,
          const NormTrace& trace) {
  if (kind == NormKind::none) return copy(x, out);
  const auto rows = [&](const auto& x_rows, const auto& out_rows, const auto& mean,
                        const auto& rstd) {
    Norm{kind, x_rows, weights.weight, weights.bias, eps, out_rows, {mean, rstd}}.run(context);
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
    NormBackward{kind,
                 d_rows,
                 x_rows,
                 weights.weight,
                 mean,
                 rstd,
                 {d_x_rows, d_weights.weight, d_weights.bias}}
        .run(context);
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
  DropoutOptions of_next = dropout;
  const auto rows = [&](const auto& x_rows, const auto& out_rows) {
    tril::dropout(x_rows, of_next, out_rows, context);
    of_next.first_row += x_rows.size(0);
  };
  for_rows(rows, x.size(0), x, out);
}

void feed_forward(const FeedForward& rows, const BatchedFeedForwardTrace& trace,
                  const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                  const Context& context) {
  FeedForward next = rows;
  const auto run = [&](const auto& x_rows, const auto& out_rows, const auto& hidden,
                       const auto& activated) {
    next.trace = {hidden, activated};
    next.run(x_rows, out_rows, context);
    if (next.dropout) next.dropout->first_row += x_rows.size(0);
  };
  for_rows(run, x.size(0), x, out, trace.hidden, trace.activated);
}

void feed_forward_backward(const FeedForward& rows, const BatchedFeedForwardTrace& trace,
                           const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x, const TensorView<float, 3>& d_x,
                           const BasicFeedForwardWeights<float>& d_weights,
                           const Context& context) {
  FeedForward next = rows;
  const auto run = [&](const auto& d_rows, const auto& x_rows, const auto& hidden,
                       const auto& activated, const auto& d_x_rows) {
    next.trace = {hidden, activated};
    next.backward(d_rows, x_rows, {d_x_rows, d_weights}, context);
    if (next.dropout) next.dropout->first_row += x_rows.size(0);
  };
  for_rows(run, x.size(0), d_out, x, trace.hidden, trace.activated, d_x);
}

}  // namespace tril::detail
