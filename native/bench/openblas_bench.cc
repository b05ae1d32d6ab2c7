// OpenBLAS, with the kernels that it chooses itself: a machine's OPENBLAS_CORETYPE may hide
// AVX-512.
#include <cblas.h>

#include <limits>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

void multiply(const ProductSize& size, const float* a, const float* b, float* out) {
  const auto rows = static_cast<int>(size.rows), depth = static_cast<int>(size.depth),
             cols = static_cast<int>(size.cols);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, cols, depth, 1, a, depth, b, cols, 0,
              out, cols);
}

const bool kRegistered = [] {
  openblas_set_num_threads(1);
  chosen_kernels().push_back(std::string("OpenBLAS: ") + openblas_get_corename() + ", " +
                             openblas_get_config());
  register_products("openblas", multiply, std::numeric_limits<double>::infinity());
  return true;
}();

}  // namespace
}  // namespace tril::bench
