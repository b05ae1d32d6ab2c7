#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/backward_kernels.h>
#include <tril/layers/partial_sums.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/hidden_rows.h>

#include <algorithm>
#include <string>

namespace tril {
namespace {

// What both norms read and write. A norm without a mean has no bias.
struct Norm {
  const char* call;
  MatrixView<const float> d_out, x;
  VectorView<const float> weight, mean, scale;
  const char* scale_name;
  MatrixView<float> d_x;
  VectorView<float> d_weight, d_bias;
};

void check(const Norm& norm) {
  const char* const call = norm.call;
  check_view(norm.x, call, "x", Empty::allowed);
  const Index rows = norm.x.size(0), cols = norm.x.size(1);
  const Message why{"x is ", norm.x};
  check_shape(norm.d_out, norm.x.shape(), call, "d_out", why);
  if (norm.weight) check_shape(norm.weight, {cols}, call, "weight", why);
  if (norm.mean) check_shape(norm.mean, {rows}, call, "mean", why);
  check_shape(norm.scale, {rows}, call, norm.scale_name, why);
  const auto check_written = [&](const auto& written, const auto& shape, const char* name) {
    if (!written) return;
    check_shape(written, shape, call, name, why);
    check_no_overlap(written, norm.x, call, name);
    check_no_overlap(written, norm.weight, call, name);
    check_no_overlap(written, norm.mean, call, name);
    check_no_overlap(written, norm.scale, call, name);
  };
  check_written(norm.d_x, norm.x.shape(), "d_x");
  if (norm.d_x) check_in_place(norm.d_x, norm.d_out, call, "d_x");
  check_written(norm.d_weight, Shape<1>{cols}, "d_weight");
  check_written(norm.d_bias, Shape<1>{cols}, "d_bias");
  for (const VectorView<float>& sums : {norm.d_weight, norm.d_bias}) {
    check_no_overlap(sums, norm.d_out, call, "d_weight");
    check_no_overlap(sums, norm.d_x, call, "d_weight");
  }
  check_no_overlap(norm.d_bias, norm.d_weight, call, "d_bias");
}

// for each row:  d_x by row(n, d_weight's sums, d_bias' sums);  then the sums are added
// A row to which nothing flows back gets zeros, even if it is not finite.
template <typename Row>
void backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
              const LayerNormGradients& d, const Context& context, const Row& row) {
  const Index cols = x.size(1);
  detail::sum_rows(
      x.size(0), 2 * cols, context,
      [&](Index n, float* sums) {
        if (detail::all_zero(d_out[n].data(), cols)) {
          if (d.d_x) std::fill_n(d.d_x[n].data(), cols, 0.0f);
          return;
        }
        row(n, d.d_x ? d.d_x[n].data() : nullptr, d.d_weight ? sums : nullptr,
            d.d_bias ? sums + cols : nullptr);
      },
      [&](const float* sums) {
        detail::add_sums(sums, d.d_weight);
        detail::add_sums(sums + cols, d.d_bias);
      });
}

}  // namespace

void layer_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                         VectorView<const float> weight, VectorView<const float> mean,
                         VectorView<const float> rstd, const LayerNormGradients& gradients,
                         const Context& context) {
  constexpr const char* kCall = "layer_norm_backward";
  if (!mean) fail(kCall, "mean", "no tensor given");
  const Norm norm{
      kCall,           d_out, x, weight, mean, rstd, "rstd", gradients.d_x, gradients.d_weight,
      gradients.d_bias};
  check(norm);
  detail::run_layer_norm_backward(d_out, x, weight, mean, rstd, gradients, context);
}

void detail::run_layer_norm_backward(const MatrixView<const float>& d_out,
                                     const MatrixView<const float>& x,
                                     const VectorView<const float>& weight,
                                     const VectorView<const float>& mean,
                                     const VectorView<const float>& rstd,
                                     const LayerNormGradients& gradients, const Context& context) {
  const auto kernel = backward_kernels().layer_norm;
  backward(d_out, x, gradients, context, [&](Index n, float* d_x, float* d_weight, float* d_bias) {
    kernel(d_out[n].data(), x[n].data(), weight.data(), mean[n], rstd[n], d_x, d_weight, d_bias,
           x.size(1));
  });
}

void rms_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                       VectorView<const float> weight, VectorView<const float> rstd,
                       const RmsNormGradients& gradients, const Context& context) {
  const Norm norm{"rms_norm_backward", d_out, x, weight, {}, rstd, "rstd", gradients.d_x,
                  gradients.d_weight,  {}};
  check(norm);
  detail::run_rms_norm_backward(d_out, x, weight, rstd, gradients, context);
}

void detail::run_rms_norm_backward(const MatrixView<const float>& d_out,
                                   const MatrixView<const float>& x,
                                   const VectorView<const float>& weight,
                                   const VectorView<const float>& rstd,
                                   const RmsNormGradients& gradients, const Context& context) {
  const auto kernel = backward_kernels().rms_norm;
  const LayerNormGradients written{gradients.d_x, gradients.d_weight, {}};
  backward(d_out, x, written, context, [&](Index n, float* d_x, float* d_weight, float*) {
    kernel(d_out[n].data(), x[n].data(), weight.data(), rstd[n], d_x, d_weight, x.size(1));
  });
}

}  // namespace tril
