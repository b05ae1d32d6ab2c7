#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/unchecked.h>

namespace tril {
namespace {

// The names of the calls in errors, in the order of Activation.
constexpr const char* kCalls[] = {"relu", "gelu", "gelu", "silu"};
constexpr const char* kBackwardCalls[] = {"relu_backward", "gelu_backward", "gelu_backward",
                                          "silu_backward"};

// The kernel of an activation in a table.
template <typename Kernels>
typename Kernels::Map kernel_of(const Kernels& kernels, Activation activation) noexcept {
  switch (activation) {
    case Activation::relu:
      return kernels.relu;
    case Activation::gelu:
      return kernels.gelu;
    case Activation::gelu_tanh:
      return kernels.gelu_tanh;
    case Activation::silu:
      break;
  }
  return kernels.silu;
}

Activation gelu_of(GeluForm form) noexcept {
  return form == GeluForm::tanh ? Activation::gelu_tanh : Activation::gelu;
}

}  // namespace

TRIL_DEFINE_DISPATCH(ElementwiseKernels, kElementwiseKernels, elementwise_kernels)
TRIL_DEFINE_DISPATCH(ElementwiseBackwardKernels, kElementwiseBackwardKernels,
                     elementwise_backward_kernels)

ElementwiseKernels::Map ElementwiseKernels::of(Activation activation) const noexcept {
  return kernel_of(*this, activation);
}
ElementwiseBackwardKernels::Map ElementwiseBackwardKernels::of(
    Activation activation) const noexcept {
  return kernel_of(*this, activation);
}

void check_activation(Activation activation, const char* call) {
  if (name_of(kActivations, activation).empty()) {
    fail(call, "activation", "is none of relu, gelu, gelu_tanh, silu");
  }
}

void activate(Activation activation, MatrixView<const float> x, MatrixView<float> out,
              const Context& context) {
  check_activation(activation, "activate");
  const char* const call = kCalls[static_cast<std::size_t>(activation)];
  check_view(x, call, "x", Empty::allowed);
  check_shape(out, x.shape(), call, "out", "the shape of x");
  check_in_place(out, x, call, "out");
  detail::run_activation(activation, x, out, context);
}

void relu(MatrixView<const float> x, MatrixView<float> out, const Context& context) {
  activate(Activation::relu, x, out, context);
}

void gelu(MatrixView<const float> x, GeluForm form, MatrixView<float> out, const Context& context) {
  activate(gelu_of(form), x, out, context);
}

void silu(MatrixView<const float> x, MatrixView<float> out, const Context& context) {
  activate(Activation::silu, x, out, context);
}

void activate_backward(Activation activation, MatrixView<const float> d_out,
                       MatrixView<const float> x, MatrixView<float> d_x, const Context& context) {
  check_activation(activation, "activate_backward");
  const char* const call = kBackwardCalls[static_cast<std::size_t>(activation)];
  check_view(x, call, "x", Empty::allowed);
  check_shape(d_out, x.shape(), call, "d_out", "the shape of x");
  check_shape(d_x, x.shape(), call, "d_x", "the shape of x");
  check_in_place(d_x, d_out, call, "d_x");
  check_in_place(d_x, x, call, "d_x");
  detail::run_activation_backward(activation, d_out, x, d_x, context);
}

void relu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   const Context& context) {
  activate_backward(Activation::relu, d_out, x, d_x, context);
}

void gelu_backward(MatrixView<const float> d_out, MatrixView<const float> x, GeluForm form,
                   MatrixView<float> d_x, const Context& context) {
  activate_backward(gelu_of(form), d_out, x, d_x, context);
}

void silu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   const Context& context) {
  activate_backward(Activation::silu, d_out, x, d_x, context);
}

namespace detail {

void run_activation(Activation activation, const MatrixView<const float>& x,
                    const MatrixView<float>& out, const Context& context) {
  const auto map = elementwise_kernels().of(activation);
  for_runs(out, x.is_contiguous() && out.is_contiguous(), context,
           [&](Index row, Index col, Index count) {
             map(x[row].data() + col, out[row].data() + col, count);
           });
}

void run_activation_backward(Activation activation, const MatrixView<const float>& d_out,
                             const MatrixView<const float>& x, const MatrixView<float>& d_x,
                             const Context& context) {
  const auto map = elementwise_backward_kernels().of(activation);
  const bool flat = x.is_contiguous() && d_out.is_contiguous() && d_x.is_contiguous();
  for_runs(d_x, flat, context, [&](Index row, Index col, Index count) {
    map(d_out[row].data() + col, x[row].data() + col, d_x[row].data() + col, count);
  });
}

}  // namespace detail
}  // namespace tril
