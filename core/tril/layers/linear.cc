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

// The first rows of a matrix of 16-bit numbers as floats: one, or a few short ones, for which no
// kernel that reads these is made.
const float* widened(const NarrowMatrix& narrow, Index rows, Scratch::Frame& frame) {
  float* const memory = frame.take<float>(rows, narrow.cols);
  for (Index n = 0; n < rows; ++n) {
    narrow.format->widen(narrow.from(n).data, narrow.cols, memory + n * narrow.cols);
  }
  return memory;
}

}  // namespace

void check_packed(const char* call, const char* argument, const PackedColumns& packed,
                  const MatrixView<const float>& weight) {
  if (packed.narrow) {
    const NarrowMatrix& narrow = packed.narrow;
    check_shape(narrow.stand_in(), weight.shape(), call, argument, "that of the weight");
    if (narrow.stride % 2 != 0) {
      fail(call, argument, {"rows must be an even number apart, are ", narrow.stride});
    }
  }
  if (!packed) return;
  const PackedMatrix& matrix = *packed.matrix;
  const bool fits = matrix.depth() == weight.size(1) && packed.first >= 0 &&
                    packed.first % tile_kernels().panel_cols == 0 &&
                    packed.first + weight.size(0) <= matrix.cols();
  if (fits) return;
  fail(call, argument,
       {"columns ", packed.first, " on of ", Shape<2>{matrix.depth(), matrix.cols()},
        " packed are not the transpose of ", weight});
}

void linear(MatrixView<const float> x, MatrixView<const float> weight, VectorView<const float> bias,
            MatrixView<float> out, const Context& context, const PackedColumns& packed) {
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
  check_packed("linear", "packed", packed, weight);
  detail::run_linear(x, weight, bias, out, context, packed);
}

void detail::run_linear(const MatrixView<const float>& x, const MatrixView<const float>& weight,
                        const VectorView<const float>& bias, const MatrixView<float>& out,
                        const Context& context, const PackedColumns& packed) {
  Product product = product_of(x, weight, {.transpose_b = true}, out);
  const Index rows = product.rows, cols = product.cols, depth = product.depth;
  const bool tiled = rows > 1 && cols > 1 && depth > 0;
  Scratch::Frame frame(context.scratch);
  if (packed.narrow) {
    if (tiled || (rows == 1 && fastest_method(rows, cols, depth) == MatmulMethod::tiled)) {
      product.narrow = packed.narrow;
    } else if (rows > 0) {
      product.b = {widened(packed.narrow, cols, frame), 1, depth};
    }
  }
  if (tiled) {
    product.packed = packed;
    product.bias = bias.data();
    return multiply_tiled(product, context);
  }
  run_method(MatmulMethod::automatic, product, context);
  if (bias) add_bias(bias, out, context);
}

}  // namespace tril
