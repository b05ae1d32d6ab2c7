#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/backward_kernels.h>
#include <tril/layers/partial_sums.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/hidden_rows.h>

#include <algorithm>

namespace tril {

void layer_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                         VectorView<const float> weight, VectorView<const float> mean,
                         VectorView<const float> rstd, const LayerNormGradients& gradients,
                         const Context& context) {
  constexpr const char* kCall = "layer_norm_backward";
  if (!mean) fail(kCall, "mean", "no tensor given");
  const detail::NormBackward norm{NormKind::layer_norm, d_out, x, weight, mean, rstd, gradients};
  norm.check(kCall);
  norm.run(context);
}

void rms_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                       VectorView<const float> weight, VectorView<const float> rstd,
                       const RmsNormGradients& gradients, const Context& context) {
  const detail::NormBackward norm{
      NormKind::rms_norm, d_out, x, weight, {}, rstd, {gradients.d_x, gradients.d_weight, {}}};
  norm.check("rms_norm_backward");
  norm.run(context);
}

namespace detail {

void NormBackward::check(const char* call) const {
  check_view(x, call, "x", Empty::allowed);
  const Index rows = x.size(0), cols = x.size(1);
  const Message why{"x is ", x};
  check_shape(d_out, x.shape(), call, "d_out", why);
  if (weight) check_shape(weight, {cols}, call, "weight", why);
  if (mean) check_shape(mean, {rows}, call, "mean", why);
  check_shape(rstd, {rows}, call, "rstd", why);
  const auto check_written = [&](const auto& written, const auto& shape, const char* name) {
    if (!written) return;
    check_shape(written, shape, call, name, why);
    check_no_overlap(written, x, call, name);
    check_no_overlap(written, weight, call, name);
    check_no_overlap(written, mean, call, name);
    check_no_overlap(written, rstd, call, name);
  };
  const auto& [d_x, d_weight, d_bias] = gradients;
  check_written(d_x, x.shape(), "d_x");
  if (d_x) check_in_place(d_x, d_out, call, "d_x");
  check_written(d_weight, Shape<1>{cols}, "d_weight");
  check_written(d_bias, Shape<1>{cols}, "d_bias");
  for (const VectorView<float>& sums : {d_weight, d_bias}) {
    check_no_overlap(sums, d_out, call, "d_weight");
    check_no_overlap(sums, d_x, call, "d_weight");
  }
  check_no_overlap(d_bias, d_weight, call, "d_bias");
}

// for each row:  d_x, and its terms of the sums d_weight and d_bias;  then the sums are added
// A row whose gradient is 0 gets zeros, even if it is not finite.
void NormBackward::run(const Context& context) const {
  const Index cols = x.size(1);
  const BackwardKernels& kernels = backward_kernels();
  const auto row = [&](Index n, float* sums) {
    const float* const d_row = d_out[n].data();
    float* const to = gradients.d_x ? gradients.d_x[n].data() : nullptr;
    if (all_zero(d_row, cols)) {
      if (to) std::fill_n(to, cols, 0.0f);
      return;
    }
    float* const weight_sums = gradients.d_weight ? sums : nullptr;
    float* const bias_sums = gradients.d_bias ? sums + cols : nullptr;
    if (kind == NormKind::layer_norm) {
      kernels.layer_norm(d_row, x[n].data(), weight.data(), mean[n], rstd[n], to, weight_sums,
                         bias_sums, cols);
    } else {
      kernels.rms_norm(d_row, x[n].data(), weight.data(), rstd[n], to, weight_sums, cols);
    }
  };
  sum_rows(x.size(0), 2 * cols, context, row, [&](const float* sums) {
    add_sums(sums, gradients.d_weight);
    add_sums(sums + cols, gradients.d_bias);
  });
}

}  // namespace detail
}  // namespace tril
