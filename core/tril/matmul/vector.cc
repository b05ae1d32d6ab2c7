#include <tril/matmul/vector.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(VectorKernels, kVectorKernels, vector_kernels)

namespace detail {
namespace {

// Elements of the matrix a thread is worth being woken for: 64 Ki floats = 256 KiB, some 10
// microseconds of reading.
constexpr Index kSerial = 64 << 10;

// out [cols, 1], its elements `out_step` apart, = alpha * x [1, depth] * matrix (+ out)
struct VectorProduct {
  const float* x;
  Index x_step;
  Operand matrix;  // [depth, cols]
  Index depth, cols;
  float* out;
  Index out_step;
};

VectorProduct one_row(const Product& p) noexcept {
  return {p.a.data, p.a.col_stride, p.b, p.depth, p.cols, p.out, 1};
}

VectorProduct one_column(const Product& p) noexcept {
  return {p.b.data, p.b.row_stride, {p.a.data, p.a.col_stride, p.a.row_stride}, p.depth, p.rows,
          p.out,    p.out_stride};
}

}  // namespace

void multiply_vector(const Product& product, Scratch& scratch, Parallel& parallel,
                     const VectorKernels& kernels) {
  const VectorProduct p = product.rows == 1 ? one_row(product) : one_column(product);
  const TileFinish finish{product.alpha, product.accumulate};

  Scratch::Frame frame(scratch);
  const float* x = p.x;
  if (p.x_step != 1) {
    float* const gathered = frame.take<float>(p.depth);
    for (Index k = 0; k < p.depth; ++k) gathered[k] = p.x[k * p.x_step];
    x = gathered;
  }

  // Pieces of columns, 64 at least: whole cache lines for every thread.
  const Index threads = p.depth * p.cols <= kSerial ? 1 : parallel.threads();
  const Index step = threads == 1 ? p.cols : std::max<Index>(64, (p.cols / threads + 63) / 64 * 64);
  parallel.for_each((p.cols + step - 1) / step, [&](Index item, int) {
    const Index j = item * step, cols = std::min(step, p.cols - j);
    float* const out = p.out + j * p.out_step;
    if (p.matrix.rows_contiguous()) {
      kernels.combine_rows(x, p.matrix.at(0, j), p.matrix.row_stride, p.depth, cols, finish, out,
                           p.out_step);
    } else {
      kernels.dot_rows(x, p.matrix.at(0, j), p.matrix.col_stride, p.depth, cols, finish, out,
                       p.out_step);
    }
  });
}

}  // namespace detail
}  // namespace tril
