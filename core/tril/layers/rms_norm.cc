#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/norm_kernels.h>
#include <tril/layers/unchecked.h>

namespace tril {

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
  detail::run_rms_norm(x, weight, options.eps, out, context, rstd);
}

void detail::run_rms_norm(const MatrixView<const float>& x, const VectorView<const float>& weight,
                          double eps, const MatrixView<float>& out, const Context& context,
                          const VectorView<float>& rstd) {
  const Index cols = x.size(1);
  const auto kernel = norm_kernels().rms_norm;
  for_row_ranges(x.size(0), cols, context, [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      const float inverse = kernel(x[n].data(), weight.data(), eps, out[n].data(), cols);
      if (rstd) rstd[n] = inverse;
    }
  });
}

}  // namespace tril
