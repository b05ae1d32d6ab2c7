#include <tril/block/block_parts.h>
#include <tril/foundation/check.h>

namespace tril::detail {
namespace {

// What the members of a trace are called, by their sublayer.
constexpr const char* kResidual[] = {"trace.residual1", "trace.residual2", "trace.residual3"};
constexpr const char* kNormed[] = {"trace.normed1", "trace.normed2", "trace.normed3"};
constexpr const char* kMean[] = {"trace.mean1", "trace.mean2", "trace.mean3"};
constexpr const char* kRstd[] = {"trace.rstd1", "trace.rstd2", "trace.rstd3"};
constexpr const char* kNorm[] = {"norm1", "norm2", "norm3"};

}  // namespace

void check_layers(const char* call, Index width, const FeedForwardWeights& feed_forward,
                  Activation activation, std::span<const NormWeights> norms) {
  check_feed_forward(call, width, feed_forward, activation);
  for (std::size_t n = 0; n < norms.size(); ++n) check_norm(call, kNorm[n], norms[n], width);
}

void check_traced(OverlapCheck& overlap, const Shape<3>& x, std::span<const SublayerTrace> traces,
                  std::span<const char* const> branches, Index inner,
                  const BatchedFeedForwardTrace& feed_forward) {
  for (std::size_t n = 0; n < traces.size(); ++n) {
    const SublayerTrace& each = traces[n];
    overlap.writes(each.branch, x, branches[n], "the shape of x");
    overlap.writes(each.residual, x, kResidual[n], "the shape of x");
    overlap.writes(each.normed, x, kNormed[n], "the shape of x");
    overlap.writes(each.mean, {x[0], x[1]}, kMean[n], "a number a token");
    overlap.writes(each.rstd, {x[0], x[1]}, kRstd[n], "a number a token");
  }
  const Shape<3> wide = {x[0], x[1], inner};
  overlap.writes(feed_forward.hidden, wide, "trace.hidden", "as wide as linear1");
  overlap.writes(feed_forward.activated, wide, "trace.activated", "as wide as linear1");
}

void check_saved(OverlapCheck& overlap, const char* call, const Shape<3>& x, NormOrder order,
                 bool norms, std::span<const SublayerTrace> traces, Index inner,
                 const BatchedFeedForwardTrace& feed_forward) {
  const auto reads = [&](const auto& view, const auto& shape, const char* name, const char* why) {
    check_shape(view, shape, call, name, why);
    overlap.reads(view);
  };
  const bool post = order == NormOrder::post;
  for (std::size_t n = 0; n < traces.size(); ++n) {
    const SublayerTrace& each = traces[n];
    const bool last = n + 1 == traces.size();
    if (post || !last) reads(each.residual, x, kResidual[n], "that of x");
    if (!post || !last) reads(each.normed, x, kNormed[n], "that of x");
    if (!norms) continue;
    const Shape<2> tokens = {x[0], x[1]};
    reads(each.mean, tokens, kMean[n], "that of x");
    reads(each.rstd, tokens, kRstd[n], "that of x");
  }
  const Shape<3> wide = {x[0], x[1], inner};
  reads(feed_forward.hidden, wide, "trace.hidden", "as wide as linear1");
  reads(feed_forward.activated, wide, "trace.activated", "as wide as linear1");
}

void take_saved(SavedMemory& memory, const Shape<3>& x, NormOrder order,
                std::initializer_list<SublayerPlaces> sublayers) {
  const bool post = order == NormOrder::post;
  std::size_t left = sublayers.size();
  for (const SublayerPlaces& each : sublayers) {
    const auto take = [&] { return memory.take(x[0], x[1], x[2]); };
    (post ? each.residual : each.normed) = take();
    if (--left > 0) (post ? each.normed : each.residual) = take();
    each.mean = memory.take(x[0], x[1]);
    each.rstd = memory.take(x[0], x[1]);
  }
}

}  // namespace tril::detail
