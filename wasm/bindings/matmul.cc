#include "matmul.h"

#include <emscripten/bind.h>

#include "any_view.h"
#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "matmul";

// A factor of the product as a stack of matrices.
AnyView<const float> side(const Tensor& tensor, bool transposed, bool is_left) {
  if (tensor.rank() >= 2) return any_view(tensor, kCall, is_left ? "a" : "b");
  if (transposed) {
    fail(kCall, is_left ? "transposeA" : "transposeB",
         {"a vector cannot be transposed; shape is ", tensor});
  }
  const Index size = tensor.count();
  return MatrixView<const float>(tensor.data(), is_left ? Shape<2>{1, size} : Shape<2>{size, 1});
}

}  // namespace

Product::Product(const Tensor& a, const Tensor& b, const MatmulOptions& options)
    : left(side(a, options.transpose_a, true)), right(side(b, options.transpose_b, false)) {
  full = broadcast_axes(left.shape, right.shape);
  shape.assign(full.sizes.begin(), full.sizes.begin() + full.rank);
  const Index rows = left.shape[left.shape.rank - (options.transpose_a ? 1 : 2)];
  const Index cols = right.shape[right.shape.rank - (options.transpose_b ? 2 : 1)];
  full[full.rank++] = rows;
  full[full.rank++] = cols;
  if (a.rank() > 1) shape.push_back(rows);
  if (b.rank() > 1) shape.push_back(cols);
  if (shape.empty()) shape.push_back(1);
}

namespace {

// Multiplies like numpy.matmul: batch axes broadcast; a vector is a row on the left and a column on
// the right, and the result lacks its axis. Two vectors give one number, of shape [1].
TensorHandle matmul(Engine& engine, const Tensor& a, const Tensor& b, const MatmulOptions& options,
                    Tensor* out) {
  const tril::MatmulOptions core_options{
      .method = value_named(kMatmulMethods, options.method, kCall, "method"),
      .transpose_a = options.transpose_a,
      .transpose_b = options.transpose_b,
      .levels = options.levels};
  const Product product(a, b, options);
  const Output output(engine, out, product.shape, kCall);
  batched_matmul(product.left, product.right, core_options, {output->data(), product.full},
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
