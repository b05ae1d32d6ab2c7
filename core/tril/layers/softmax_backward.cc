#include <tril/layers/backward_kernels.h>
#include <tril/layers/softmax.h>
#include <tril/layers/softmax_slices.h>

namespace tril {

TRIL_DEFINE_DISPATCH(BackwardKernels, kBackwardKernels, backward_kernels)

namespace {

void backward(const char* call, const AnyView<const float>& d_out, const AnyView<const float>& out,
              const SoftmaxOptions& options, const AnyView<float>& d_x, const Context& context,
              BackwardKernels::Softmax row, BackwardKernels::SoftmaxColumns columns) {
  check_view(out, call, "out");
  check_shape(d_out, out.shape, call, "d_out", "that of out");
  check_shape(d_x, out.shape, call, "d_x", "that of out");
  check_in_place(d_x, d_out, call, "d_x");
  check_in_place(d_x, out, call, "d_x");
  const detail::SoftmaxSlices slices(call, out, options);
  slices.for_each(context, [&](Index slice) {
    const float* const gradient = slices.start(d_out, slice);
    const float* const from = slices.start(out, slice);
    float* const to = slices.start(d_x, slice);
    if (slices.along_rows()) {
      row(gradient, from, to, slices.length(), slices.scale());
    } else {
      const int axis = slices.axis();
      columns(gradient, d_out.strides[axis], from, out.strides[axis], to, d_x.strides[axis],
              slices.length(), slices.width(), slices.scale());
    }
  });
}

}  // namespace

void softmax_backward(const AnyView<const float>& d_out, const AnyView<const float>& out,
                      const SoftmaxOptions& options, const AnyView<float>& d_x,
                      const Context& context) {
  const BackwardKernels& kernels = backward_kernels();
  backward("softmax_backward", d_out, out, options, d_x, context, kernels.softmax,
           kernels.softmax_columns);
}

void log_softmax_backward(const AnyView<const float>& d_out, const AnyView<const float>& out,
                          const SoftmaxOptions& options, const AnyView<float>& d_x,
                          const Context& context) {
  const BackwardKernels& kernels = backward_kernels();
  backward("log_softmax_backward", d_out, out, options, d_x, context, kernels.log_softmax,
           kernels.log_softmax_columns);
}

}  // namespace tril
