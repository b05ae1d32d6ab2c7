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
  const detail::Norm norm{NormKind::layer_norm, x, weight, bias, options.eps, out, trace};
  norm.check("layer_norm");
  norm.run(context);
}

void rms_norm(MatrixView<const float> x, VectorView<const float> weight,
              const RmsNormOptions& options, MatrixView<float> out, const Context& context,
              VectorView<float> rstd) {
  const detail::Norm norm{NormKind::rms_norm, x, weight, {}, options.eps, out, {{}, rstd}};
  norm.check("rms_norm");
  norm.run(context);
}

void detail::Norm::check(const char* call) const {
  check_view(x, call, "x", Empty::allowed);
  const Message why{"x is ", x};
  if (weight) check_shape(weight, {x.size(1)}, call, "weight", why);
  if (bias) check_shape(bias, {x.size(1)}, call, "bias", why);
  check_shape(out, x.shape(), call, "out", "the shape of x");
  check_in_place(out, x, call, "out");
  check_no_overlap(out, weight, call, "out");
  check_no_overlap(out, bias, call, "out");
  const auto check_traced = [&](const VectorView<float>& traced, const char* name) {
    if (!traced) return;
    check_shape(traced, {x.size(0)}, call, name, why);
    check_no_overlap(traced, x, call, name);
    check_no_overlap(traced, out, call, name);
    check_no_overlap(traced, weight, call, name);
    check_no_overlap(traced, bias, call, name);
  };
  check_traced(trace.mean, "mean");
  check_traced(trace.rstd, "rstd");
  check_no_overlap(trace.rstd, trace.mean, call, "rstd");
  check_eps(eps, call);
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
