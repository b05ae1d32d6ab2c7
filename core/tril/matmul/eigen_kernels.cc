// Compiled once per instruction set like every kernel file, Eigen included. Its templates would be
// merged across the copies when linking, so CMakeLists.txt renames its namespace in each.
#include <tril/matmul/eigen_kernels.h>

#include <Eigen/Core>

namespace tril::TRIL_ISA {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strides = Eigen::OuterStride<Eigen::Dynamic>;
using Input = Eigen::Map<const Matrix, Eigen::Unaligned, Strides>;
using Output = Eigen::Map<Matrix, Eigen::Unaligned, Strides>;

// The operand as Eigen sees it. A transposed operand is copied into `copy`: separate products for
// all combinations would be four times the code to download, and the copy costs little compared to
// the product.
Input as_map(const detail::Operand& operand, Index rows, Index cols, Matrix& copy) {
  if (operand.rows_contiguous()) return {operand.data, rows, cols, Strides(operand.row_stride)};
  copy = Input(operand.data, cols, rows, Strides(operand.col_stride)).transpose();
  return {copy.data(), rows, cols, Strides(cols)};
}

void multiply(const detail::Product& p) {
  Matrix a_copy, b_copy;
  const Input a = as_map(p.a, p.rows, p.depth, a_copy), b = as_map(p.b, p.depth, p.cols, b_copy);
  Output out(p.out, p.rows, p.cols, Strides(p.out_stride));
  if (!p.accumulate) out.setZero();
  // The function that `out.noalias() += p.alpha * a * b` calls where rows, columns and depth add up
  // to at least 20; below that the expression has another path, which is half of the code.
  using Product = Eigen::internal::generic_product_impl<Input, Input, Eigen::DenseShape,
                                                        Eigen::DenseShape, Eigen::GemmProduct>;
  Product::scaleAndAddTo(out, a, b, p.alpha);
}

}  // namespace

extern const EigenKernels kEigenKernels;
const EigenKernels kEigenKernels{multiply};

}  // namespace tril::TRIL_ISA
