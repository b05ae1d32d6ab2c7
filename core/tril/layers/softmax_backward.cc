#include <tril/layers/backward_kernels.h>
#include <tril/layers/softmax.h>
#include <tril/layers/softmax_slices.h>

namespace tril {

TRIL_DEFINE_DISPATCH(BackwardKernels, kBackwardKernels, backward_kernels)

namespace {

template <int Rank>
void backward(const char* call, TensorView<const float, Rank> d_out,
              TensorView<const float, Rank> out, const SoftmaxOptions& options,
              TensorView<float, Rank> d_x, const Context& context, BackwardKernels::Softmax row,
              BackwardKernels::SoftmaxColumns columns) {
  check_view(out, call, "out", Empty::allowed);
  check_shape(d_out, out.shape(), call, "d_out", "that of out");
  check_shape(d_x, out.shape(), call, "d_x", "that of out");
  check_in_place(d_x, d_out, call, "d_x");
  check_in_place(d_x, out, call, "d_x");
  const detail::SoftmaxSlices<Rank> slices(call, out, options);
  slices.for_each(context, [&](Index slice) {
    const float* const gradient = slices.start(d_out, slice);
    const float* const from = slices.start(out, slice);
    float* const to = slices.start(d_x, slice);
    if (slices.along_rows()) {
      row(gradient, from, to, slices.length(), slices.scale());
    } else {
      const int axis = slices.axis();
      columns(gradient, d_out.stride(axis), from, out.stride(axis), to, d_x.stride(axis),
              slices.length(), slices.width(), slices.scale());
    }
  });
}

template <int Rank>
void softmax_back(TensorView<const float, Rank> d_out, TensorView<const float, Rank> out,
                  const SoftmaxOptions& options, TensorView<float, Rank> d_x,
                  const Context& context) {
  const BackwardKernels& kernels = backward_kernels();
  backward("softmax_backward", d_out, out, options, d_x, context, kernels.softmax,
           kernels.softmax_columns);
}

template <int Rank>
void log_softmax_back(TensorView<const float, Rank> d_out, TensorView<const float, Rank> out,
                      const SoftmaxOptions& options, TensorView<float, Rank> d_x,
                      const Context& context) {
  const BackwardKernels& kernels = backward_kernels();
  backward("log_softmax_backward", d_out, out, options, d_x, context, kernels.log_softmax,
           kernels.log_softmax_columns);
}

}  // namespace

void softmax_backward(VectorView<const float> d_out, VectorView<const float> out,
                      const SoftmaxOptions& options, VectorView<float> d_x,
                      const Context& context) {
  softmax_back(d_out, out, options, d_x, context);
}
void softmax_backward(MatrixView<const float> d_out, MatrixView<const float> out,
                      const SoftmaxOptions& options, MatrixView<float> d_x,
                      const Context& context) {
  softmax_back(d_out, out, options, d_x, context);
}
void softmax_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> out,
                      const SoftmaxOptions& options, TensorView<float, 3> d_x,
                      const Context& context) {
  softmax_back(d_out, out, options, d_x, context);
}
void softmax_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> out,
                      const SoftmaxOptions& options, TensorView<float, 4> d_x,
                      const Context& context) {
  softmax_back(d_out, out, options, d_x, context);
}

void log_softmax_backward(VectorView<const float> d_out, VectorView<const float> out,
                          const SoftmaxOptions& options, VectorView<float> d_x,
                          const Context& context) {
  log_softmax_back(d_out, out, options, d_x, context);
}
void log_softmax_backward(MatrixView<const float> d_out, MatrixView<const float> out,
                          const SoftmaxOptions& options, MatrixView<float> d_x,
                          const Context& context) {
  log_softmax_back(d_out, out, options, d_x, context);
}
void log_softmax_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> out,
                          const SoftmaxOptions& options, TensorView<float, 3> d_x,
                          const Context& context) {
  log_softmax_back(d_out, out, options, d_x, context);
}
void log_softmax_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> out,
                          const SoftmaxOptions& options, TensorView<float, 4> d_x,
                          const Context& context) {
  log_softmax_back(d_out, out, options, d_x, context);
}

}  // namespace tril
