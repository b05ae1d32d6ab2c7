#include <tril/block/layer.h>
#include <tril/foundation/copy.h>
#include <tril/layers/unchecked.h>

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

MultiHead Layer::self_heads(Index tokens) const {
  return {weights.self_attn,
          with_dropout(self_attention, dropout, dropout ? dropout->self_weights : -1, tokens),
          trace.self_attn};
}

MultiHead Layer::cross_heads(Index tokens) const {
  return {weights.multihead_attn,
          with_dropout(cross_attention, dropout, dropout ? dropout->cross_weights : -1, tokens),
          trace.multihead_attn};
}

FeedForward Layer::feed_forward(Index tokens) const {
  return {.gated = gated,
          .weights = {weights.linear1, weights.linear2},
          .activation = activation,
          .dropout = dropout ? dropout->at(dropout->activated, tokens) : std::nullopt};
}

// out = f(in), with dropout
void Layer::compute(LayerPart part, const TensorView<const float, 3>& in,
                    const TensorView<float, 3>& out, const Context& context) const {
  const Index tokens = in.size(1);
  if (part == LayerPart::attention) {
    self_heads(tokens).run(in, out, context);
  } else if (part == LayerPart::cross_attention) {
    cross_heads(tokens).run(in, out, context);
  } else {
    detail::feed_forward(feed_forward(tokens), trace.feed_forward, in, out, context);
  }
  if (!dropout) return;
  if (const auto left_out = dropout->at(place_of(*dropout, part), tokens)) {
    drop(out, *left_out, out, context);
  }
}

// post-norm      work = x + f(in),  out = norm(work)
// pre-norm       work = norm(in),   out = x + f(work)
// sandwich       work = norm(in),   out = x + norm(f(work))
// of the branch  work = f(in),      out = x + norm(work)
// where `in` is x, except in a parallel layer: there it is the layer's x. out may then be `in`.
// Traced views without gaps hold the results directly, so `work` and `out` may be traced views.
void Layer::run_sublayer(std::size_t sublayer, const TensorView<const float, 3>& in,
                         const TensorView<const float, 3>& x, const TensorView<float, 3>& work,
                         const TensorView<float, 3>& out, const Context& context) const {
  const SublayerTrace& wanted = trace.sublayers[sublayer];
  const auto normalise = [&](const TensorView<const float, 3>& from,
                             const TensorView<float, 3>& to) {
    detail::norm(norm, from, norm_of(weights, sublayer), eps, to, context, wanted.norm);
    copy(to, wanted.normed);
  };
  // f writes to its traced view if neither that view nor the sum has gaps, else to the sum: with
  // gaps, batches are multiplied one by one, and tracing may not change a bit.
  const auto place = [](const TensorView<float, 3>& traced, const TensorView<float, 3>& sum) {
    return traced && traced.is_contiguous() && sum.is_contiguous() ? traced : sum;
  };
  const auto add_branch = [&](const TensorView<const float, 3>& of,
                              const TensorView<float, 3>& sum) {
    const TensorView<float, 3> branch = place(wanted.branch, sum);
    if (branch_norms) {
      const TensorView<float, 3> unnormed = order ? place(wanted.unnormed, sum) : work;
      compute(part(sublayer), of, unnormed, context);
      copy(unnormed, wanted.unnormed);
      detail::norm(norm, unnormed, branch_norm_of(weights, sublayer), eps, branch, context,
                   wanted.branch_norm);
    } else {
      compute(part(sublayer), of, branch, context);
    }
    if (change_branch) change_branch(part(sublayer), branch);
    copy(branch, wanted.branch);
    if (residuals || (parallel && sublayer > 0)) {
      add(x, branch, sum, context);
    } else {
      copy(branch, sum);
    }
    copy(sum, wanted.residual);
  };
  if (order == NormOrder::post) {
    add_branch(in, work);
    normalise(work, out);
  } else if (order) {
    normalise(in, work);
    add_branch(work, out);
  } else {
    copy(in, wanted.normed);  // without a norm, the input of f is `in`
    add_branch(in, out);
  }
}

void Layer::run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                const Context& context) const {
  KeyValueCache* const caches[] = {self_attention.past, cross_attention.past};
  Index lengths[2] = {};
  for (int i = 0; i < 2; ++i) lengths[i] = caches[i] ? caches[i]->length() : 0;
  try {
    run_sublayers(x, out, context);
  } catch (...) {  // out of memory, or thrown by change_branch
    for (int i = 0; i < 2; ++i) {
      if (caches[i]) caches[i]->set_length(lengths[i]);
    }
    throw;
  }
}

void Layer::run_sublayers(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                          const Context& context) const {
  WorkPlaces places(context.scratch, x.shape());
  TensorView<const float, 3> in = x;
  for (std::size_t n = 0; n < count(); ++n) {
    const TensorView<float, 3> to = n + 1 < count() ? places.or_new(output(n)) : out;
    const TensorView<float, 3> work = places.or_shared(first_of(trace.sublayers[n]));
    run_sublayer(n, parallel ? x : in, in, work, to, context);
    in = to;
  }
}

// d_in = backward of f (backward of dropout (d)); `dropped` is the memory of the inner gradient
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
    self_heads(tokens).backward(
        d_branch, in,
        {.d_x = d_in, .d_mask = gradients.d_self_mask, .weights = gradients.weights.self_attn},
        context);
  } else if (part == LayerPart::cross_attention) {
    cross_heads(tokens).backward(d_branch, in,
                                 {.d_x = d_in,
                                  .d_context = gradients.d_memory,
                                  .d_mask = gradients.d_cross_mask,
                                  .weights = gradients.weights.multihead_attn},
                                 context);
  } else {
    feed_forward_backward(feed_forward(tokens), trace.feed_forward, d_branch, in, d_in,
                          {gradients.weights.linear1, gradients.weights.linear2}, context);
  }
}

// For each sublayer, from the last, with d the gradient of its output:
//   d_sum    = d, or with post-norm the backward pass of norm (d)
//   d_branch = d_sum, or the backward pass of the branch norm (d_sum)
//   d_in     = backward of f (d_branch), then with pre-norm the backward pass of norm
//   d_x      = d_in + d_sum;  in a parallel layer, the sum of all d_in + d
void Layer::backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                     const LayerGradients& gradients, const Context& context) const {
  Scratch::Frame frame(context.scratch);
  const auto take = [&] { return TensorView<float, 3>(frame.take<float>(x.count()), x.shape()); };
  const TensorView<float, 3> work = take(), dropped = dropout ? take() : TensorView<float, 3>();
  const TensorView<float, 3> unnormed = branch_norms ? take() : TensorView<float, 3>();
  const TensorView<float, 3> between =
      gradients.d_x && gradients.d_x.is_contiguous() && !parallel ? gradients.d_x : take();
  const bool post = order == NormOrder::post, pre = order == NormOrder::pre;
  TensorView<const float, 3> d = d_out;
  for (std::size_t n = count(); n-- > 0;) {
    const TensorView<const float, 3> in =
        n > 0 && !parallel ? TensorView<const float, 3>(output(n - 1)) : x;
    const TensorView<float, 3>& d_in = n > 0 ? between : gradients.d_x;
    const SublayerTrace& saved = trace.sublayers[n];
    const auto norm_back = [&](const TensorView<const float, 3>& of,
                               const TensorView<const float, 3>& normalised,
                               const TensorView<float, 3>& to) {
      norm_backward(norm, of, normalised, norm_of(weights, n), saved.norm, to,
                    norm_of(gradients.weights, n), context);
    };
    if (post) norm_back(d, saved.residual, work);
    const TensorView<const float, 3> d_sum = post ? TensorView<const float, 3>(work) : d;
    TensorView<const float, 3> d_branch = parallel ? d_out : d_sum;
    if (branch_norms) {
      norm_backward(norm, d_branch, saved.unnormed, branch_norm_of(weights, n), saved.branch_norm,
                    unnormed, branch_norm_of(gradients.weights, n), context);
      d_branch = unnormed;
    }
    // The gradient does not go to d_in if that may be d, which is still to be added.
    const bool adds = d_in && (residuals || (parallel && n + 1 < count()));
    const TensorView<float, 3> through = pre || (adds && !post) ? work : d_in;
    compute_backward(part(n), d_branch, pre ? saved.normed : in, through, dropped, gradients,
                     context);
    const TensorView<float, 3> d_own = adds ? through : d_in;
    if (pre) norm_back(work, in, d_own);
    if (adds) add(d_own, d_sum, d_in, context);
    d = d_in;
  }
}

}  // namespace tril::detail
