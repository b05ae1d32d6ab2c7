#include <tril/layers/softmax.h>
#include <tril/layers/softmax_kernels.h>
#include <tril/layers/softmax_slices.h>

namespace tril {

TRIL_DEFINE_DISPATCH(SoftmaxKernels, kSoftmaxKernels, softmax_kernels)

namespace {

template <int Rank>
void normalise(const char* call, TensorView<const float, Rank> x, const SoftmaxOptions& options,
               TensorView<float, Rank> out, const Context& context, SoftmaxRow row,
               SoftmaxColumns columns) {
  check_view(x, call, "x", Empty::allowed);
  check_shape(out, x.shape(), call, "out", "that of x");
  check_in_place(out, x, call, "out");
  const detail::SoftmaxSlices<Rank> slices(call, x, options);
  slices.for_each(context, [&](Index slice) {
    const float* const from = slices.start(x, slice);
    float* const to = slices.start(out, slice);
    if (slices.along_rows()) {
      row(from, to, slices.length(), slices.scale());
    } else {
      columns(from, x.stride(slices.axis()), to, out.stride(slices.axis()), slices.length(),
              slices.width(), slices.scale());
    }
  });
}

template <int Rank>
void softmax_of(TensorView<const float, Rank> x, const SoftmaxOptions& options,
                TensorView<float, Rank> out, const Context& context) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("softmax", x, options, out, context, kernels.row, kernels.columns);
}

template <int Rank>
void log_softmax_of(TensorView<const float, Rank> x, const SoftmaxOptions& options,
                    TensorView<float, Rank> out, const Context& context) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("log_softmax", x, options, out, context, kernels.log_row, kernels.log_columns);
}

}  // namespace

void softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
             const Context& context) {
  softmax_of(x, options, out, context);
}
void softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
             const Context& context) {
  softmax_of(x, options, out, context);
}
void softmax(TensorView<const float, 3> x, const SoftmaxOptions& options, TensorView<float, 3> out,
             const Context& context) {
  softmax_of(x, options, out, context);
}
void softmax(TensorView<const float, 4> x, const SoftmaxOptions& options, TensorView<float, 4> out,
             const Context& context) {
  softmax_of(x, options, out, context);
}

void log_softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
                 const Context& context) {
  log_softmax_of(x, options, out, context);
}
void log_softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
                 const Context& context) {
  log_softmax_of(x, options, out, context);
}
void log_softmax(TensorView<const float, 3> x, const SoftmaxOptions& options,
                 TensorView<float, 3> out, const Context& context) {
  log_softmax_of(x, options, out, context);
}
void log_softmax(TensorView<const float, 4> x, const SoftmaxOptions& options,
                 TensorView<float, 4> out, const Context& context) {
  log_softmax_of(x, options, out, context);
}

}  // namespace tril
