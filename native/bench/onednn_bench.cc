// oneDNN's one-call product; threads: OMP_NUM_THREADS=1.
#include <dnnl.h>

#include <limits>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

void multiply(const ProductSize& size, const float* a, const float* b, float* out) {
  dnnl_sgemm('N', 'N', size.rows, size.cols, size.depth, 1, a, size.depth, b, size.cols, 0, out,
             size.cols);
}

const char* isa_text() {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
      return "SSE4.1";
    case dnnl_cpu_isa_avx:
      return "AVX";
    case dnnl_cpu_isa_avx2:
      return "AVX2";
    default:
      return "AVX-512 or wider";
  }
}

const bool kRegistered = [] {
  chosen_kernels().push_back(std::string("oneDNN: ") + isa_text());
  register_products("onednn", multiply, std::numeric_limits<double>::infinity());
  return true;
}();

}  // namespace
}  // namespace tril::bench
