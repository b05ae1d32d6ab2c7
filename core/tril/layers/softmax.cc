#include <tril/layers/softmax.h>
#include <tril/layers/softmax_kernels.h>
#include <tril/layers/softmax_slices.h>

namespace tril {

TRIL_DEFINE_DISPATCH(SoftmaxKernels, kSoftmaxKernels, softmax_kernels)

namespace {

void normalise(const char* call, const AnyView<const float>& x, const SoftmaxOptions& options,
               const AnyView<float>& out, const Context& context, SoftmaxRow row,
               SoftmaxColumns columns) {
  check_view(x, call, "x");
  check_shape(out, x.shape, call, "out", "that of x");
  check_in_place(out, x, call, "out");
  const detail::SoftmaxSlices slices(call, x, options);
  slices.for_each(context, [&](Index slice) {
    const float* const from = slices.start(x, slice);
    float* const to = slices.start(out, slice);
    if (slices.along_rows()) {
      row(from, to, slices.length(), slices.scale());
    } else {
      columns(from, x.strides[slices.axis()], to, out.strides[slices.axis()], slices.length(),
              slices.width(), slices.scale());
    }
  });
}

}  // namespace

void softmax(const AnyView<const float>& x, const SoftmaxOptions& options,
             const AnyView<float>& out, const Context& context) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("softmax", x, options, out, context, kernels.row, kernels.columns);
}

void log_softmax(const AnyView<const float>& x, const SoftmaxOptions& options,
                 const AnyView<float>& out, const Context& context) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("log_softmax", x, options, out, context, kernels.log_row, kernels.log_columns);
}

}  // namespace tril
