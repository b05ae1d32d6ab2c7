#include <tril/block/layer.h>
#include <tril/foundation/copy.h>

namespace tril::detail {
namespace {

MultiHeadOptions with_dropout(const MultiHeadOptions& options,
                              const std::optional<LayerDropout>& dropout, Index place,
                              Index tokens) {
  MultiHeadOptions with = options;
  if (dropout && !with.attention.dropout) {
    with.attention.dropout = dropout->at(place, options.heads * tokens);
  }
  return with;
}

Index place_of(const LayerDropout& dropout, LayerPart part) noexcept {
  if (part == LayerPart::attention) return dropout.self;
  return part == LayerPart::cross_attention ? dropout.cross : dropout.feed_forward;
}

}  // namespace

MultiHeadOptions Layer::self_options(Index tokens) const {
  return with_dropout(self_attention, dropout, dropout ? dropout->self_weights : -1, tokens);
}

MultiHeadOptions Layer::cross_options(Index tokens) const {
  return with_dropout(cross_attention, dropout, dropout ? dropout->cross_weights : -1, tokens);
}

// out = f(in), with dropout
void Layer::compute(LayerPart part, const TensorView<const float, 3>& in,
                    const TensorView<float, 3>& out, const Context& context) const {
  const Index tokens = in.size(1);
  if (part == LayerPart::attention) {
    run_multi_head_attention(in, weights.self_attn, self_options(tokens), out, context,
                             trace.self_attn, prepared);
  } else if (part == LayerPart::cross_attention) {
    run_multi_head_attention(in, weights.multihead_attn, cross_options(tokens), out, context,
                             trace.multihead_attn, prepared);
  } else {
    detail::feed_forward(gated, in, feed_forward_weights(), activation, out, context,
                         trace.feed_forward, prepared,
                         dropout ? dropout->at(dropout->activated, tokens) : std::nullopt);
  }
  if (change_branch) change_branch(part, out);
  if (!dropout) return;
  if (const auto left_out = dropout->at(place_of(*dropout, part), tokens)) {
    drop(out, *left_out, out, context);
  }
}

// post-norm   work = x + f(x),  out = norm(work)
// pre-norm    work = norm(x),   out = x + f(work)
// What the trace wants and has no gaps is computed there, so that `work` and `out` may be it.
void Layer::run_sublayer(std::size_t sublayer, const TensorView<const float, 3>& x,
                         const TensorView<float, 3>& work, const TensorView<float, 3>& out,
                         const Context& context) const {
  const SublayerTrace& wanted = trace.sublayers[sublayer];
  const auto normalise = [&](const TensorView<const float, 3>& from,
                             const TensorView<float, 3>& to) {
    detail::norm(norm, from, norm_of(weights, sublayer), eps, to, context, wanted.norm);
    copy(to, wanted.normed);
  };
  // f computes in its place in the trace if neither that nor the sum's place has gaps, else in the
  // sum's place: with gaps batches are multiplied one by one, and tracing may change no bit.
  const auto add_branch = [&](const TensorView<const float, 3>& in,
                              const TensorView<float, 3>& sum) {
    const TensorView<float, 3>& branch =
        wanted.branch && wanted.branch.is_contiguous() && sum.is_contiguous() ? wanted.branch : sum;
    compute(part(sublayer), in, branch, context);
    copy(branch, wanted.branch);
    if (residuals) {
      add(x, branch, sum, context);
    } else {
      copy(branch, sum);
    }
    copy(sum, wanted.residual);
  };
  if (order == NormOrder::post) {
    add_branch(x, work);
    normalise(work, out);
  } else {
    normalise(x, work);
    add_branch(work, out);
  }
}

void Layer::run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                const Context& context) const {
  WorkPlaces places(context.scratch, x.shape());
  TensorView<const float, 3> in = x;
  for (std::size_t n = 0; n < count(); ++n) {
    const SublayerTrace& wanted = trace.sublayers[n];
    const TensorView<float, 3> to = n + 1 < count() ? places.or_new(output(n)) : out;
    const TensorView<float, 3> work =
        places.or_shared(order == NormOrder::post ? wanted.residual : wanted.normed);
    run_sublayer(n, in, work, to, context);
    in = to;
  }
}

// d_in = back through f (back through dropout (d)); `dropped` is where the latter lies
void Layer::compute_backward(LayerPart part, const TensorView<const float, 3>& d,
                             const TensorView<const float, 3>& in, const TensorView<float, 3>& d_in,
                             const TensorView<float, 3>& dropped, const LayerGradients& gradients,
                             const Context& context) const {
  const Index tokens = in.size(1);
  TensorView<const float, 3> d_branch = d;
  if (dropout) {
    if (const auto left_out = dropout->at(place_of(*dropout, part), tokens)) {
      drop(d, *left_out, dropped, context);
      d_branch = dropped;
    }
  }
  if (part == LayerPart::attention) {
    run_multi_head_attention_backward(
        d_branch, in, weights.self_attn, self_options(tokens), trace.self_attn,
        {.d_x = d_in, .d_mask = gradients.d_self_mask, .weights = gradients.weights.self_attn},
        context);
  } else if (part == LayerPart::cross_attention) {
    run_multi_head_attention_backward(d_branch, in, weights.multihead_attn, cross_options(tokens),
                                      trace.multihead_attn,
                                      {.d_x = d_in,
                                       .d_context = gradients.d_memory,
                                       .d_mask = gradients.d_cross_mask,
                                       .weights = gradients.weights.multihead_attn},
                                      context);
  } else {
    detail::feed_forward_backward(gated, d_branch, in, feed_forward_weights(), activation,
                                  trace.feed_forward, d_in,
                                  {gradients.weights.linear1, gradients.weights.linear2}, context,
                                  dropout ? dropout->at(dropout->activated, tokens) : std::nullopt);
  }
}

// For each sublayer, from the last, with d the gradient of its output:
//   post-norm   work = back through norm (d),  d_x = back through f (work) + work
//   pre-norm    work = back through f (d),     d_x = back through norm (work) + d
void Layer::backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                     const LayerGradients& gradients, const Context& context) const {
  Scratch::Frame frame(context.scratch);
  const auto take = [&] { return TensorView<float, 3>(frame.take<float>(x.count()), x.shape()); };
  const TensorView<float, 3> work = take(), dropped = dropout ? take() : TensorView<float, 3>();
  const TensorView<float, 3> between =
      gradients.d_x && gradients.d_x.is_contiguous() ? gradients.d_x : take();
  TensorView<const float, 3> d = d_out;
  for (std::size_t n = count(); n-- > 0;) {
    const TensorView<const float, 3> in = n > 0 ? TensorView<const float, 3>(output(n - 1)) : x;
    const TensorView<float, 3>& d_in = n > 0 ? between : gradients.d_x;
    const SublayerTrace& saved = trace.sublayers[n];
    const auto norm_back = [&](const TensorView<const float, 3>& of,
                               const TensorView<const float, 3>& normalised,
                               const TensorView<float, 3>& to) {
      norm_backward(norm, of, normalised, norm_of(weights, n), saved.norm, to,
                    norm_of(gradients.weights, n), context);
    };
    if (order == NormOrder::post) {
      norm_back(d, saved.residual, work);
      compute_backward(part(n), work, in, d_in, dropped, gradients, context);
      if (residuals && d_in) add(d_in, work, d_in, context);
    } else {
      compute_backward(part(n), d, saved.normed, work, dropped, gradients, context);
      const bool adds = residuals && d_in;
      norm_back(work, in, adds ? work : d_in);
      if (adds) add(work, d, d_in, context);
    }
    d = d_in;
  }
}

}  // namespace tril::detail
