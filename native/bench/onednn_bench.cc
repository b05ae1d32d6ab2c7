// oneDNN, by its one-call product; threads: OMP_NUM_THREADS=1.
#include <dnnl.h>

#include <limits>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

void multiply(const ProductSize& size, const float* a, const float* b, float* out) {
  dnnl_sgemm('N', 'N', size.rows, size.cols, size.depth, 1, a, size.depth, b, size.cols, 0, out,
             size.cols);
}

const bool kRegistered =
    (register_products("onednn", multiply, std::numeric_limits<double>::infinity()), true);

}  // namespace
}  // namespace tril::bench
