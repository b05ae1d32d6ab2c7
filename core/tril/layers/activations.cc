#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/activations.h>
#include <tril/layers/elementwise_kernels.h>

namespace tril {
namespace {

void map(const char* call, ElementwiseKernels::Map function, const MatrixView<const float>& x,
         const MatrixView<float>& out, Parallel& parallel) {
  check_view(x, call, "x", Empty::allowed);
  check_shape(out, x.shape(), call, "out", "the shape of x");
  check_in_place(out, x, call, "out");
  for_runs(out, x.is_contiguous() && out.is_contiguous(), parallel,
           [&](Index row, Index col, Index count) {
             function(x[row].data() + col, out[row].data() + col, count);
           });
}

void map_backward(const char* call, ElementwiseBackwardKernels::Map function,
                  const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                  const MatrixView<float>& d_x, Parallel& parallel) {
  check_view(x, call, "x", Empty::allowed);
  check_shape(d_out, x.shape(), call, "d_out", "the shape of x");
  check_shape(d_x, x.shape(), call, "d_x", "the shape of x");
  check_in_place(d_x, d_out, call, "d_x");
  check_in_place(d_x, x, call, "d_x");
  const bool flat = x.is_contiguous() && d_out.is_contiguous() && d_x.is_contiguous();
  for_runs(d_x, flat, parallel, [&](Index row, Index col, Index count) {
    function(d_out[row].data() + col, x[row].data() + col, d_x[row].data() + col, count);
  });
}

}  // namespace

TRIL_DEFINE_DISPATCH(ElementwiseKernels, kElementwiseKernels, elementwise_kernels)
TRIL_DEFINE_DISPATCH(ElementwiseBackwardKernels, kElementwiseBackwardKernels,
                     elementwise_backward_kernels)

void relu(MatrixView<const float> x, MatrixView<float> out, Parallel& parallel) {
  map("relu", elementwise_kernels().relu, x, out, parallel);
}

void gelu(MatrixView<const float> x, GeluForm form, MatrixView<float> out, Parallel& parallel) {
  const ElementwiseKernels& kernels = elementwise_kernels();
  map("gelu", form == GeluForm::tanh ? kernels.gelu_tanh : kernels.gelu, x, out, parallel);
}

void silu(MatrixView<const float> x, MatrixView<float> out, Parallel& parallel) {
  map("silu", elementwise_kernels().silu, x, out, parallel);
}

void relu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   Parallel& parallel) {
  map_backward("relu_backward", elementwise_backward_kernels().relu, d_out, x, d_x, parallel);
}

void gelu_backward(MatrixView<const float> d_out, MatrixView<const float> x, GeluForm form,
                   MatrixView<float> d_x, Parallel& parallel) {
  const ElementwiseBackwardKernels& kernels = elementwise_backward_kernels();
  map_backward("gelu_backward", form == GeluForm::tanh ? kernels.gelu_tanh : kernels.gelu, d_out, x,
               d_x, parallel);
}

void silu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   Parallel& parallel) {
  map_backward("silu_backward", elementwise_backward_kernels().silu, d_out, x, d_x, parallel);
}

void check_activation(Activation activation, const char* call) {
  if (name_of(kActivations, activation).empty()) {
    fail(call, "activation", "is none of relu, gelu, gelu_tanh, silu");
  }
}

void activate(Activation activation, MatrixView<const float> x, MatrixView<float> out,
              Parallel& parallel) {
  check_activation(activation, "activate");
  switch (activation) {
    case Activation::relu:
      return relu(x, out, parallel);
    case Activation::gelu:
      return gelu(x, GeluForm::exact, out, parallel);
    case Activation::gelu_tanh:
      return gelu(x, GeluForm::tanh, out, parallel);
    case Activation::silu:
      return silu(x, out, parallel);
  }
}

void activate_backward(Activation activation, MatrixView<const float> d_out,
                       MatrixView<const float> x, MatrixView<float> d_x, Parallel& parallel) {
  check_activation(activation, "activate_backward");
  switch (activation) {
    case Activation::relu:
      return relu_backward(d_out, x, d_x, parallel);
    case Activation::gelu:
      return gelu_backward(d_out, x, GeluForm::exact, d_x, parallel);
    case Activation::gelu_tanh:
      return gelu_backward(d_out, x, GeluForm::tanh, d_x, parallel);
    case Activation::silu:
      return silu_backward(d_out, x, d_x, parallel);
  }
}

}  // namespace tril
