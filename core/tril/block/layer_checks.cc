#include <tril/block/layer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/unchecked.h>

namespace tril::detail {
namespace {

// The names in errors of the members of a trace, by sublayer.
constexpr const char* kResidual[] = {"trace.residual1", "trace.residual2", "trace.residual3"};
constexpr const char* kNormed[] = {"trace.normed1", "trace.normed2", "trace.normed3"};
constexpr const char* kMean[] = {"trace.mean1", "trace.mean2", "trace.mean3"};
constexpr const char* kRstd[] = {"trace.rstd1", "trace.rstd2", "trace.rstd3"};
constexpr const char* kUnnormed[] = {"trace.unnormed1", "trace.unnormed2", "trace.unnormed3"};
constexpr const char* kBranchMean[] = {"trace.branch_mean1", "trace.branch_mean2",
                                       "trace.branch_mean3"};
constexpr const char* kBranchRstd[] = {"trace.branch_rstd1", "trace.branch_rstd2",
                                       "trace.branch_rstd3"};
constexpr const char* kNoGradients = "decoding with a cache has no gradients";
constexpr const char* kNorm[] = {"norm1", "norm2", "norm3"};
constexpr const char* kBranchNorm[] = {"branch_norm1", "branch_norm2", "branch_norm3"};

const char* branch_name(LayerPart part) noexcept {
  if (part == LayerPart::attention) return "trace.attention";
  return part == LayerPart::cross_attention ? "trace.cross" : "trace.feed_forward";
}

// The widths of hidden and activated.
struct InnerWidths {
  Index hidden, activated;
};
InnerWidths inner_widths(const Layer& layer) noexcept {
  return {layer.weights.linear1.weight.size(0), layer.weights.linear2.weight.size(1)};
}

void check_weights(const char* call, const Layer& layer, Index width) {
  layer.feed_forward(0).check_weights(call, width);
  if (layer.parallel && layer.order == NormOrder::post) {
    fail(call, "parallel", "has no norm of the sums between, so that norms cannot be post");
  }
  const auto check_one = [&](const char* name, const NormWeights& norm, bool is_used) {
    if (!norm.weight && !norm.bias) return;
    if (!is_used) fail(call, name, "there is no such norm");
    check_norm(call, name, norm, width);
  };
  for (std::size_t n = 0; n < layer.count(); ++n) {
    check_one(kNorm[n], Layer::norm_of(layer.weights, n), layer.order.has_value());
    check_one(kBranchNorm[n], Layer::branch_norm_of(layer.weights, n), layer.branch_norms);
  }
}

// Throws Error unless the traced views fit x's shape and share no memory with anything else.
void check_traced(OverlapCheck& overlap, const Layer& layer, const Shape<3>& x) {
  for (std::size_t n = 0; n < layer.count(); ++n) {
    const SublayerTrace& each = layer.trace.sublayers[n];
    overlap.writes(each.branch, x, branch_name(layer.part(n)), "the shape of x");
    overlap.writes(each.residual, x, kResidual[n], "the shape of x");
    overlap.writes(each.normed, x, kNormed[n], "the shape of x");
    overlap.writes(each.norm.mean, {x[0], x[1]}, kMean[n], "a number a token");
    overlap.writes(each.norm.rstd, {x[0], x[1]}, kRstd[n], "a number a token");
    overlap.writes(each.unnormed, x, kUnnormed[n], "the shape of x");
    overlap.writes(each.branch_norm.mean, {x[0], x[1]}, kBranchMean[n], "a number a token");
    overlap.writes(each.branch_norm.rstd, {x[0], x[1]}, kBranchRstd[n], "a number a token");
  }
  const InnerWidths widths = inner_widths(layer);
  const BatchedFeedForwardTrace& inner = layer.trace.feed_forward;
  overlap.writes(inner.hidden, {x[0], x[1], widths.hidden}, "trace.hidden", "as wide as linear1");
  overlap.writes(inner.activated, {x[0], x[1], widths.activated}, "trace.activated",
                 "as wide as linear1");
}

// Throws Error in the name of `call` unless the trace has everything that the backward pass needs.
void check_saved(OverlapCheck& overlap, const char* call, const Layer& layer, const Shape<3>& x) {
  const auto reads = [&](const auto& view, const auto& shape, const char* name, const char* why) {
    check_shape(view, shape, call, name, why);
    overlap.reads(view);
  };
  const auto reads_moments = [&](const NormTrace& norm, const char* mean, const char* rstd) {
    if (layer.norm == NormKind::none) return;
    const Shape<2> tokens = {x[0], x[1]};
    if (layer.norm == NormKind::layer_norm) reads(norm.mean, tokens, mean, "that of x");
    reads(norm.rstd, tokens, rstd, "that of x");
  };
  for (std::size_t n = 0; n < layer.count(); ++n) {
    const SublayerTrace& each = layer.trace.sublayers[n];
    const SublayerNeeds needs = layer.needs(n);
    if (needs.residual) reads(each.residual, x, kResidual[n], "that of x");
    if (needs.normed) reads(each.normed, x, kNormed[n], "that of x");
    if (layer.order) reads_moments(each.norm, kMean[n], kRstd[n]);
    if (!layer.branch_norms) continue;
    reads(each.unnormed, x, kUnnormed[n], "that of x");
    reads_moments(each.branch_norm, kBranchMean[n], kBranchRstd[n]);
  }
  const InnerWidths widths = inner_widths(layer);
  const BatchedFeedForwardTrace& inner = layer.trace.feed_forward;
  reads(inner.hidden, Shape<3>{x[0], x[1], widths.hidden}, "trace.hidden", "as wide as linear1");
  reads(inner.activated, Shape<3>{x[0], x[1], widths.activated}, "trace.activated",
        "as wide as linear1");
}

}  // namespace

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

void Layer::refuse_past(const char* call, const char* why) const {
  if (self_attention.past) fail(call, "past", why);
  if (cross_attention.past) fail(call, "memory_past", why);
}

void Layer::check_inputs(const char* call, const TensorView<const float, 3>& x) const {
  check_view(x, call, "x", empty_but_wide(x));
  if (!crosses) return;
  const TensorView<const float, 3>& memory = cross_attention.context;
  check_view(memory, call, "memory", empty_but_wide(memory));
  if (memory.size(0) == x.size(0)) return;
  fail(call, "memory", {"must have x's batches; memory is ", memory, ", x is ", x});
}

void Layer::check(const char* call, const TensorView<const float, 3>& x,
                  const TensorView<float, 3>& out) const {
  check_view(out, call, "out", empty_but_wide(out));
  const Shape<3> shape = x.shape();
  check_weights(call, *this, shape[2]);
  check_eps(eps, call);
  if (dropout) check_dropout(dropout->places, call);

  OverlapCheck overlap(call);
  overlap.reads(x), overlap.reads(cross_attention.context), overlap.reads_all(weights);
  overlap.reads(self_attention.attention.mask), overlap.reads(cross_attention.attention.mask);
  overlap.writes(out, shape, "out", "the shape of x");
  check_traced(overlap, *this, shape);
  overlap.writes_trace("trace.self_attn", trace.self_attn);
  if (crosses) overlap.writes_trace("trace.multihead_attn", trace.multihead_attn);
  check_part(call, "self_attn", [&] { self_heads(shape[1]).check(x, out); });
  if (!crosses) return;
  check_part(call, "multihead_attn", [&] { cross_heads(shape[1]).check(x, out); });
}

void Layer::check_backward(const char* call, const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x,
                           const LayerGradients& gradients) const {
  refuse_past(call, kNoGradients);
  const TensorView<const float, 3>& memory = cross_attention.context;
  const Shape<3> shape = x.shape();
  check_weights(call, *this, shape[2]);
  if (dropout) check_dropout(dropout->places, call);
  check_shape(d_out, shape, call, "d_out", "the shape of x");

  OverlapCheck overlap(call);
  overlap.reads(d_out), overlap.reads(x), overlap.reads(memory), overlap.reads_all(weights);
  overlap.reads(self_attention.attention.mask), overlap.reads(cross_attention.attention.mask);
  check_saved(overlap, call, *this, shape);
  overlap.writes(gradients.d_x, shape, "d_x", "the shape of x");
  const Shape<4> scores = {shape[0], self_attention.heads, shape[1], shape[1]};
  if (crosses) {
    overlap.writes(gradients.d_memory, memory.shape(), "d_memory", "the shape of the memory");
    overlap.writes(gradients.d_self_mask, scores, "d_self_mask", "that of the scores");
    overlap.writes(gradients.d_cross_mask, {scores[0], scores[1], scores[2], memory.size(1)},
                   "d_cross_mask", "that of the scores");
  } else {
    overlap.writes(gradients.d_self_mask, scores, "d_mask", "that of the scores");
  }
  overlap.writes_gradients(gradients.weights, weights);
  check_part(call, "self_attn", [&] {
    self_heads(shape[1]).check_backward(d_out, x,
                                        {.d_x = gradients.d_x,
                                         .d_mask = gradients.d_self_mask,
                                         .weights = gradients.weights.self_attn});
  });
  if (!crosses) return;
  check_part(call, "multihead_attn", [&] {
    cross_heads(shape[1]).check_backward(d_out, x,
                                         {.d_x = gradients.d_x,
                                          .d_context = gradients.d_memory,
                                          .d_mask = gradients.d_cross_mask,
                                          .weights = gradients.weights.multihead_attn});
  });
}

void Layer::lay_out(const char* call, const Shape<3>& x, SavedMemory& memory) {
  refuse_past(call, kNoGradients);
  feed_forward(x[1]).check_weights(call, x[2]);
  const auto take = [&] { return memory.take(x[0], x[1], x[2]); };
  const auto take_moments = [&](NormTrace& of) {
    if (norm == NormKind::layer_norm) of.mean = memory.take(x[0], x[1]);
    if (norm != NormKind::none) of.rstd = memory.take(x[0], x[1]);
  };
  for (std::size_t n = 0; n < count(); ++n) {
    SublayerTrace& each = trace.sublayers[n];
    const SublayerNeeds need = needs(n);
    if (need.residual) each.residual = take();
    if (need.normed) each.normed = take();
    if (order) take_moments(each.norm);
    if (!branch_norms) continue;
    each.unnormed = take();
    take_moments(each.branch_norm);
  }
  check_part(call, "self_attn", [&] {
    trace.self_attn = multi_head_attention_saved(x, weights.self_attn, self_attention, memory);
  });
  if (crosses) {
    check_part(call, "multihead_attn", [&] {
      trace.multihead_attn =
          multi_head_attention_saved(x, weights.multihead_attn, cross_attention, memory);
    });
  }
  const InnerWidths widths = inner_widths(*this);
  trace.feed_forward.hidden = memory.take(x[0], x[1], widths.hidden);
  trace.feed_forward.activated = memory.take(x[0], x[1], widths.activated);
}

}  // namespace tril::detail
