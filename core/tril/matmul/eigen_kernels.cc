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

// use(matrix) with the operand as Eigen sees it: a map, or the transpose of one.
template <typename Use>
void with_operand(const detail::Operand& operand, Index rows, Index cols, const Use& use) {
  if (operand.rows_contiguous()) {
    use(Input(operand.data, rows, cols, Strides(operand.row_stride)));
  } else {
    use(Input(operand.data, cols, rows, Strides(operand.col_stride)).transpose());
  }
}

void multiply(const detail::Product& p) {
  Output out(p.out, p.rows, p.cols, Strides(p.out_stride));
  with_operand(p.a, p.rows, p.depth, [&](const auto& a) {
    with_operand(p.b, p.depth, p.cols, [&](const auto& b) {
      if (p.accumulate) {
        out.noalias() += p.alpha * a * b;
      } else {
        out.noalias() = p.alpha * a * b;
      }
    });
  });
}

}  // namespace

extern const EigenKernels kEigenKernels;
const EigenKernels kEigenKernels{multiply};

}  // namespace tril::TRIL_ISA
