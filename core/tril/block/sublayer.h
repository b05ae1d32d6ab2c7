// What Transformer blocks are made of: sublayers, each a function f with a residual connection and
// a layer normalisation,
//
//   post-norm   out = norm(x + f(x))      (Vaswani et al. 2017)
//   pre-norm    out = x + f(norm(x))      (Xiong et al. 2020)
//
// over x and out [B, T, C].
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/error.h>
#include <tril/foundation/message.h>
#include <tril/foundation/named.h>
#include <tril/foundation/overlap_check.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/feed_forward.h>

#include <optional>
#include <string_view>

namespace tril {

// Whether the norm comes after the sum or before the function.
enum class NormOrder { post, pre };

// Their names.
inline constexpr Named<NormOrder> kNormOrders[] = {{"post", NormOrder::post},
                                                   {"pre", NormOrder::pre}};

namespace detail {

// What is computed in a sublayer, to be kept; none: not wanted. All [B, T, C].
struct SublayerTrace {
  TensorView<float, 3> branch = {};    // f's output
  TensorView<float, 3> residual = {};  // x + f's output
  TensorView<float, 3> normed = {};    // norm's output
  MatrixView<float> mean = {};         // [B, T], of what is normalised
  MatrixView<float> rstd = {};         // [B, T], 1 / sqrt(variance + eps) of it
};

// What goes back through a sublayer; none: not wanted.
struct SublayerGradients {
  TensorView<float, 3> d_x = {};      // overwritten
  BasicNormWeights<float> norm = {};  // added to
};

struct Sublayer {
  NormOrder order;
  bool residuals;  // false: without the x + in front of f
  bool norms;      // false: norm(x) = x
  double eps;
  NormWeights norm;
  SublayerTrace trace;

  // f(in, out) computes [B, T, C] from [B, T, C]. `work` is as large as out.
  template <typename Function>
  void run(const TensorView<const float, 3>& x, const Function& f, const TensorView<float, 3>& work,
           const TensorView<float, 3>& out, Parallel& parallel) const;

  // The way back, with the trace that run() left: mean and rstd, and residual (post-norm) or normed
  // (pre-norm). back(d_branch, in, d_in) goes back through f, whose input was `in`; d_in may be
  // none. `work` is as large as d_out, and apart from it and d_x.
  template <typename Backward>
  void run_backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                    const Backward& back, const TensorView<float, 3>& work,
                    const SublayerGradients& gradients, Scratch& scratch, Parallel& parallel) const;

  // Of the trace, where the sum lies, or norm's output: what run() has for `work`.
  const TensorView<float, 3>& inner_trace() const noexcept {
    return order == NormOrder::post ? trace.residual : trace.normed;
  }
  // And what it has for `out`.
  const TensorView<float, 3>& outer_trace() const noexcept {
    return order == NormOrder::post ? trace.normed : trace.residual;
  }
};

// Where sublayers compute: in the trace, where it asks for what is computed and has no gaps, so
// that nothing is copied; else in working memory.
class WorkPlaces {
 public:
  WorkPlaces(Scratch& scratch, const Shape<3>& shape) noexcept : frame_(scratch), shape_(shape) {}

  TensorView<float, 3> or_new(const TensorView<float, 3>& wanted) {
    return wanted && wanted.is_contiguous() ? wanted : take();
  }
  // What is taken for several that need it one after another.
  TensorView<float, 3> or_shared(const TensorView<float, 3>& wanted) {
    if (wanted && wanted.is_contiguous()) return wanted;
    if (!shared_) shared_ = take();
    return shared_;
  }

 private:
  TensorView<float, 3> take() {
    return {frame_.take<float>(shape_[0], shape_[1], shape_[2]), shape_};
  }

  Scratch::Frame frame_;
  Shape<3> shape_;
  TensorView<float, 3> shared_;
};

// Throws Error unless what a multi-head attention traces lies apart from everything else.
void check_traced(OverlapCheck& overlap, const char* name, const MultiHeadTrace& trace);

// The layers of these names over [B, T, C].
struct NormTrace {
  MatrixView<float> mean = {}, rstd = {};  // [B, T]
};
void layer_norm(const TensorView<const float, 3>& x, const NormWeights& weights, double eps,
                const TensorView<float, 3>& out, Parallel& parallel, const NormTrace& trace = {});
// d_x overwritten, or none; it may be d_out.
void layer_norm_backward(const TensorView<const float, 3>& d_out,
                         const TensorView<const float, 3>& x, const NormWeights& weights,
                         const NormTrace& trace, const TensorView<float, 3>& d_x,
                         const BasicNormWeights<float>& d_weights, Scratch& scratch,
                         Parallel& parallel);
void add(const TensorView<const float, 3>& x, const TensorView<const float, 3>& branch,
         const TensorView<float, 3>& out, Parallel& parallel);
// There and back, of [B T, C]; out may be x.
void drop(const TensorView<const float, 3>& x, const DropoutOptions& dropout,
          const TensorView<float, 3>& out, Parallel& parallel);
struct BatchedFeedForwardTrace {
  TensorView<float, 3> hidden = {}, activated = {};  // [B, T, F]
};
void feed_forward(const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                  Activation activation, const TensorView<float, 3>& out, Scratch& scratch,
                  Parallel& parallel, const BatchedFeedForwardTrace& trace,
                  const PreparedWeights* prepared, const std::optional<DropoutOptions>& dropout);
void feed_forward_backward(const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                           Activation activation, const BatchedFeedForwardTrace& trace,
                           const TensorView<float, 3>& d_x,
                           const BasicFeedForwardWeights<float>& d_weights, Scratch& scratch,
                           Parallel& parallel, const std::optional<DropoutOptions>& dropout);

// Throws Error in the name of `call` unless the parameters, called NAME.weight and NAME.bias, are
// [width] or none.
void check_norm(const char* call, const Message& name, const NormWeights& norm, Index width);

// Throws `error`, of a call for a part of what `call` was given: "weight" becomes "PART.weight".
[[noreturn]] void fail_part(const char* call, const Message& part, const Error& error);

// Runs `check`, whose errors are about a part.
template <typename Check>
void check_part(const char* call, const Message& part, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    fail_part(call, part, error);
  }
}

template <typename Function>
void Sublayer::run(const TensorView<const float, 3>& x, const Function& f,
                   const TensorView<float, 3>& work, const TensorView<float, 3>& out,
                   Parallel& parallel) const {
  const auto normalise = [&](const TensorView<const float, 3>& from,
                             const TensorView<float, 3>& to) {
    if (norms) {
      layer_norm(from, norm, eps, to, parallel, {trace.mean, trace.rstd});
    } else {
      copy(from, to);
    }
    copy(to, trace.normed);
  };
  // f computes in its place in the trace if neither that nor the sum's place has gaps, else in the
  // sum's place: with gaps batches are multiplied one by one, and tracing may change no bit.
  const auto add_branch = [&](const TensorView<const float, 3>& in,
                              const TensorView<float, 3>& sum) {
    const TensorView<float, 3>& branch =
        trace.branch && trace.branch.is_contiguous() && sum.is_contiguous() ? trace.branch : sum;
    f(in, branch);
    copy(branch, trace.branch);
    if (residuals) {
      add(x, branch, sum, parallel);
    } else {
      copy(branch, sum);
    }
    copy(sum, trace.residual);
  };
  if (order == NormOrder::post) {
    add_branch(x, work);
    normalise(work, out);
  } else {
    normalise(x, work);
    add_branch(work, out);
  }
}

// post-norm   d_sum = norm back (d_out),  d_x = f back (d_sum) + d_sum
// pre-norm    d_x = norm back (f back (d_out)) + d_out
template <typename Backward>
void Sublayer::run_backward(const TensorView<const float, 3>& d_out,
                            const TensorView<const float, 3>& x, const Backward& back,
                            const TensorView<float, 3>& work, const SublayerGradients& gradients,
                            Scratch& scratch, Parallel& parallel) const {
  const auto norm_back = [&](const TensorView<const float, 3>& d,
                             const TensorView<const float, 3>& normalised,
                             const TensorView<float, 3>& to) {
    if (norms) {
      layer_norm_backward(d, normalised, norm, {trace.mean, trace.rstd}, to, gradients.norm,
                          scratch, parallel);
    } else {
      copy(d, to);
    }
  };
  const TensorView<float, 3>& d_x = gradients.d_x;
  const auto add_to = [&](const TensorView<const float, 3>& d) {
    if (residuals && d_x) add(d_x, d, d_x, parallel);
  };
  if (order == NormOrder::post) {
    norm_back(d_out, trace.residual, work);
    back(work, x, d_x);
    add_to(work);
  } else {
    back(d_out, trace.normed, work);
    norm_back(work, x, d_x);
    add_to(d_out);
  }
}

}  // namespace detail
}  // namespace tril
