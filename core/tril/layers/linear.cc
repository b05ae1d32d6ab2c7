#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/method.h>
#include <tril/matmul/product.h>
#include <tril/matmul/tiled.h>

#include <string>

namespace tril {
namespace {

void add_bias(VectorView<const float> bias, MatrixView<float> out, const Context& context) {
  const Index rows = out.size(0), cols = out.size(1);
  const auto add = arithmetic_kernels().of(Binary::add);
  for_row_ranges(rows, cols, context, [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) add(out[n].data(), bias.data(), out[n].data(), cols);
  });
}

// All rows of a matrix as floats: one row, or a few short ones, for which there is no kernel that
// reads other kinds.
MatrixView<const float> widened(const Weight& weight, Scratch::Frame& frame) {
  const Index rows = weight.size(0), cols = weight.size(1);
  float* const memory = frame.take<float>(rows, cols);
  for (Index n = 0; n < rows; ++n) weight.widen(n, 0, cols, memory + n * cols);
  return {memory, weight.shape()};
}

}  // namespace

void linear(MatrixView<const float> x, const Weight& weight, VectorView<const float> bias,
            MatrixView<float> out, const Context& context) {
  check_view(x, "linear", "x", Empty::allowed);
  check_view(weight, "linear", "weight", Empty::allowed);
  const Message why{"x is ", x, ", weight is ", weight};
  if (x.size(1) != weight.size(1)) {
    fail("linear", "weight", {"width ", weight.size(1), " does not match x's; ", why});
  }
  if (bias) check_shape(bias, {weight.size(0)}, "linear", "bias", why);
  check_shape(out, {x.size(0), weight.size(0)}, "linear", "out", why);
  check_no_overlap(out, x, "linear", "out");
  check_no_overlap(out, weight, "linear", "out");
  check_no_overlap(out, bias, "linear", "out");
  detail::run_linear(x, weight, bias, out, context);
}

void detail::run_linear(const MatrixView<const float>& x, const Weight& weight,
                        const VectorView<const float>& bias, const MatrixView<float>& out,
                        const Context& context) {
  Product product = product_of(x, weight.floats(), {.transpose_b = true}, out);
  const Index rows = product.rows, cols = product.cols, depth = product.depth;
  const bool tiled = rows > 1 && cols > 1 && depth > 0;
  Scratch::Frame frame(context.scratch);
  if (weight.format()) {
    if (tiled || (rows == 1 && fastest_method(rows, cols, depth) == MatmulMethod::tiled)) {
      product.weight = weight;
      product.b = {nullptr, 1, 0};  // transposed, and never read
    } else if (rows > 0) {
      product.b = operand(widened(weight, frame), true);
    }
  }
  if (tiled) {
    product.packed = weight.packed();
    product.bias = bias.data();
    return multiply_tiled(product, context);
  }
  run_method(MatmulMethod::automatic, product, context);
  if (bias) add_bias(bias, out, context);
}

}  // namespace tril
