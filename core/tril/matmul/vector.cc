#include <tril/matmul/vector.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(VectorKernels, kVectorKernels, vector_kernels)

namespace detail {
namespace {

// out [cols, 1] = (x [1, depth] * matrix)^T
struct VectorProduct {
  const float* x;
  Index x_step;
  Operand matrix;  // [depth, cols]
  Weight weight;   // its transpose, if not of floats
  Index depth, cols;
  TileOutput out;
};

VectorProduct one_row(const Product& p) noexcept {
  return {
      p.a.data, p.a.col_stride, p.b, p.weight, p.depth, p.cols, {p.out, 1, p.alpha, p.accumulate}};
}

VectorProduct one_column(const Product& p) noexcept {
  return {p.b.data, p.b.row_stride, {p.a.data, p.a.col_stride, p.a.row_stride},  {},
          p.depth,  p.rows,         {p.out, p.out_stride, p.alpha, p.accumulate}};
}

// The columns [begin, end) of out.
void multiply_columns(const VectorProduct& p, const float* x, Index begin, Index end,
                      const VectorKernels& kernels) noexcept {
  TileOutput out = p.out;
  out.data += begin * out.stride;
  if (p.weight) {
    return p.weight.format()->dot_rows(x, p.weight.row(begin), p.depth, end - begin, out);
  }
  const Operand matrix = p.matrix.from(0, begin);
  if (matrix.rows_contiguous()) {
    kernels.combine_rows(x, matrix.data, matrix.row_stride, p.depth, end - begin, out);
  } else {
    kernels.dot_rows(x, matrix.data, matrix.col_stride, p.depth, end - begin, out);
  }
}

}  // namespace

// for each product, each part of its columns:
//   gather x, if its elements are not neighbours;  out's part = alpha * x * the part (+ out)
void multiply_vector(const ProductBatch& batch, const Context& context,
                     const VectorKernels& kernels) {
  const auto vector_product = batch.first.rows == 1 ? one_row : one_column;
  const VectorProduct first = vector_product(batch.first);
  const Index products = batch.count();

  // At least 64 columns: whole cache lines for every thread.
  const bool serial =
      products >= context.parallel.threads() || times(first.depth, first.cols) <= kSerialElements;
  const Index workers = serial ? 1 : context.parallel.threads();
  const Index share = (first.cols + workers - 1) / workers;
  const Index step = (share + 63) / 64 * 64;
  const Index pieces = (first.cols + step - 1) / step;

  const bool gathers = first.x_step != 1;
  Scratch::Frame frame(context.scratch);
  float* const memory =
      gathers ? frame.take<float>(first.depth, context.parallel.threads()) : nullptr;

  context.parallel.for_each(products * pieces, [&](Index item, int worker) {
    const VectorProduct p = vector_product(batch[item / pieces]);
    const float* x = p.x;
    if (gathers) {
      float* const gathered = memory + worker * p.depth;
      for (Index k = 0; k < p.depth; ++k) gathered[k] = p.x[k * p.x_step];
      x = gathered;
    }
    const Index begin = item % pieces * step;
    multiply_columns(p, x, begin, std::min(begin + step, p.cols), kernels);
  });
}

}  // namespace detail
}  // namespace tril
