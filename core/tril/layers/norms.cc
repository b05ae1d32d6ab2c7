#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/norm_kernels.h>
#include <tril/layers/unchecked.h>

#include <cmath>
#include <string>

namespace tril {

TRIL_DEFINE_DISPATCH(NormKernels, kNormKernels, norm_kernels)

void check_eps(double eps, const char* call) {
  if (!(std::isfinite(eps) && eps >= 0)) {
    fail(call, "eps", {"must be finite and at least 0, is ", eps});
  }
}

void layer_norm(MatrixView<const float> x, VectorView<const float> weight,
                VectorView<const float> bias, const LayerNormOptions& options,
                MatrixView<float> out, const Context& context, const LayerNormTrace& trace) {
  constexpr const char* kCall = "layer_norm";
  check_view(x, kCall, "x", Empty::allowed);
  const Index rows = x.size(0), cols = x.size(1);
  const Message why{"x is ", x};
  if (weight) check_shape(weight, {cols}, kCall, "weight", why);
  if (bias) check_shape(bias, {cols}, kCall, "bias", why);
  if (trace.mean) check_shape(trace.mean, {rows}, kCall, "mean", why);
  if (trace.rstd) check_shape(trace.rstd, {rows}, kCall, "rstd", why);
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  check_in_place(out, x, kCall, "out");
  check_no_overlap(out, weight, kCall, "out");
  check_no_overlap(out, bias, kCall, "out");
  check_eps(options.eps, kCall);
  detail::Norm{NormKind::layer_norm, x, weight, bias, options.eps, out, trace}.run(context);
}

void rms_norm(MatrixView<const float> x, VectorView<const float> weight,
              const RmsNormOptions& options, MatrixView<float> out, const Context& context,
              VectorView<float> rstd) {
  constexpr const char* kCall = "rms_norm";
  check_view(x, kCall, "x", Empty::allowed);
  const Index rows = x.size(0), cols = x.size(1);
  if (weight) check_shape(weight, {cols}, kCall, "weight", {"x is ", x});
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  check_in_place(out, x, kCall, "out");
  check_no_overlap(out, weight, kCall, "out");
  if (rstd) {
    check_shape(rstd, {rows}, kCall, "rstd", {"x is ", x});
    check_no_overlap(rstd, x, kCall, "rstd");
    check_no_overlap(rstd, out, kCall, "rstd");
    check_no_overlap(rstd, weight, kCall, "rstd");
  }
  check_eps(options.eps, kCall);
  detail::Norm{NormKind::rms_norm, x, weight, {}, options.eps, out, {{}, rstd}}.run(context);
}

void detail::Norm::run(const Context& context) const {
  const Index rows = x.size(0), cols = x.size(1);
  const NormKernels& kernels = norm_kernels();
  for_row_ranges(rows, cols, context, [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      const float* const row = x[n].data();
      if (kind == NormKind::layer_norm) {
        const NormKernels::Moments moments =
            kernels.layer_norm(row, weight.data(), bias.data(), eps, out[n].data(), cols);
        if (trace.mean) trace.mean[n] = moments.mean;
        if (trace.rstd) trace.rstd[n] = moments.rstd;
      } else {
        const float inverse = kernels.rms_norm(row, weight.data(), eps, out[n].data(), cols);
        if (trace.rstd) trace.rstd[n] = inverse;
      }
    }
  });
}

}  // namespace tril
