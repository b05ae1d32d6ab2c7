#include "matmul.h"

#include <emscripten/bind.h>

#include <string_view>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "matmul";

// A tensor without gaps as matrices along its axes before the last two.
MatrixStack<const float> matrices_of(const float* data, const DynamicShape& shape) {
  MatrixStack<const float> stack;
  stack.rank = static_cast<int>(shape.size()) - 2;
  const Index rows = shape.end()[-2], cols = shape.end()[-1];
  stack.first = {data, {rows, cols}};
  Index stride = rows * cols;
  for (int axis = stack.rank; axis-- > 0;) {
    const auto i = static_cast<std::size_t>(axis);
    stack.shape[i] = shape[i];
    stack.strides[i] = stride;
    stride *= shape[i];
  }
  return stack;
}

// One side of the product.
MatrixStack<const float> side(const Tensor& tensor, bool transposed, bool is_left) {
  const int rank = tensor.rank() - 2;
  if (rank > detail::kMostBatchAxes) {
    fail(kCall, is_left ? "a" : "b", {"at most 8 axes; shape is ", tensor});
  }
  if (rank < 0) {
    if (transposed) {
      fail(kCall, is_left ? "transposeA" : "transposeB",
           {"a vector cannot be transposed; shape is ", tensor});
    }
    const Index size = tensor.count();
    return {{tensor.data(), is_left ? Shape<2>{1, size} : Shape<2>{size, 1}}, 0, {}, {}};
  }
  return matrices_of(tensor.data(), tensor.shape());
}

}  // namespace

Product::Product(const Tensor& a, const Tensor& b, const MatmulOptions& options)
    : left(side(a, options.transpose_a, true)), right(side(b, options.transpose_b, false)) {
  const BatchAxes batches = broadcast_axes(left, right);
  full.assign(batches.sizes.begin(), batches.sizes.begin() + batches.rank);
  shape = full;
  const Index rows = left.first.size(options.transpose_a ? 1 : 0);
  const Index cols = right.first.size(options.transpose_b ? 0 : 1);
  full.insert(full.end(), {rows, cols});
  if (a.rank() > 1) shape.push_back(rows);
  if (b.rank() > 1) shape.push_back(cols);
  if (shape.empty()) shape.push_back(1);
}

MatrixStack<const float> Product::matrices(const float* data) const {
  return matrices_of(data, full);
}

namespace {

// Multiplies as NumPy's matmul does: batch axes broadcast, a vector is a row on the left and a
// column on the right and its axis is left out of the result. Two vectors give one number, of shape
// [1].
TensorHandle matmul(Engine& engine, const Tensor& a, const Tensor& b, const MatmulOptions& options,
                    Tensor* out) {
  const tril::MatmulOptions core_options{
      .method = value_named(kMatmulMethods, options.method, kCall, "method"),
      .transpose_a = options.transpose_a,
      .transpose_b = options.transpose_b,
      .levels = options.levels};
  const Product product(a, b, options);
  const Output output(engine, out, product.shape, kCall);
  batched_matmul(product.left, product.right, core_options, product.stack_of(output->data()),
                 engine.context);
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_matmul) {
  using namespace emscripten;
  value_object<MatmulOptions>("_MatmulOptions")
      .field("method", &MatmulOptions::method)
      .field("transposeA", &MatmulOptions::transpose_a)
      .field("transposeB", &MatmulOptions::transpose_b)
      .field("levels", &MatmulOptions::levels);
  function("_matmul", guard<&matmul>, allow_raw_pointers());
}

}  // namespace tril::js
