// What Transformer blocks are made of: sublayers, each a function f with a residual connection and
// a layer normalisation,
//
//   post-norm   out = norm(x + f(x))      (Vaswani et al. 2017)
//   pre-norm    out = x + f(norm(x))      (Xiong et al. 2020)
//
// over x and out [B, T, C].
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/named.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/feed_forward.h>

#include <string>
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
};

// The layers of these names over [B, T, C].
void layer_norm(const TensorView<const float, 3>& x, const NormWeights& weights, double eps,
                const TensorView<float, 3>& out, Parallel& parallel);
void add(const TensorView<const float, 3>& x, const TensorView<const float, 3>& branch,
         const TensorView<float, 3>& out, Parallel& parallel);
struct FeedForwardTrace {
  TensorView<float, 3> hidden = {}, activated = {};  // [B, T, F]
};
void feed_forward(const TensorView<const float, 3>& x, const FeedForwardWeights& weights,
                  Activation activation, const TensorView<float, 3>& out, Scratch& scratch,
                  Parallel& parallel, const FeedForwardTrace& trace,
                  const PreparedWeights* prepared);

// Copies `value` to `place`, if there is one.
void copy(const TensorView<const float, 3>& value, const TensorView<float, 3>& place) noexcept;

// Throws Error in the name of `call` unless the parameters, called NAME.weight and NAME.bias, are
// [width] or none.
void check_norm(std::string_view call, const std::string& name, const NormWeights& norm,
                Index width);

// Runs `check`, whose errors are about a part of what `call` was given: "weight" becomes
// "PART.weight".
template <typename Check>
void check_part(std::string_view call, const std::string& part, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    throw Error(call, part + "." + error.argument(), error.problem());
  }
}

template <typename Function>
void Sublayer::run(const TensorView<const float, 3>& x, const Function& f,
                   const TensorView<float, 3>& work, const TensorView<float, 3>& out,
                   Parallel& parallel) const {
  const auto normalise = [&](const TensorView<const float, 3>& from,
                             const TensorView<float, 3>& to) {
    if (norms) {
      layer_norm(from, norm, eps, to, parallel);
    } else {
      copy(from, to);
    }
    copy(to, trace.normed);
  };
  const auto add_to = [&](const TensorView<float, 3>& branch) {
    copy(branch, trace.branch);
    if (residuals) add(x, branch, branch, parallel);
    copy(branch, trace.residual);
  };
  if (order == NormOrder::post) {
    f(x, work);
    add_to(work);
    normalise(work, out);
  } else {
    normalise(x, work);
    f(work, out);
    add_to(out);
  }
}

}  // namespace detail
}  // namespace tril
