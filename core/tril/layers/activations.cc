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

}  // namespace

TRIL_DEFINE_DISPATCH(ElementwiseKernels, kElementwiseKernels, elementwise_kernels)

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

}  // namespace tril
