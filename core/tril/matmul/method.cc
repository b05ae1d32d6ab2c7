#include <tril/foundation/check.h>
#include <tril/matmul/eigen_kernels.h>
#include <tril/matmul/loop_orders.h>
#include <tril/matmul/method.h>
#include <tril/matmul/strassen.h>
#include <tril/matmul/tiled.h>

#include <string>

namespace tril::detail {

MatmulMethod fastest_method(Index rows, Index cols, Index depth) noexcept {
  return strassen_levels(rows, cols, depth) > 0 ? MatmulMethod::strassen : MatmulMethod::tiled;
}

void run_method(MatmulMethod method, const ProductBatch& batch, std::string_view call,
                Scratch& scratch, Parallel& parallel) {
  const Product& first = batch.first;
  if (method == MatmulMethod::automatic) {
    method = fastest_method(first.rows, first.cols, first.depth);
  }
  const Index count = batch.count();
  switch (method) {
    case MatmulMethod::tiled:
      return multiply_tiled(batch, scratch, parallel);
    case MatmulMethod::strassen: {
      const int levels = strassen_levels(first.rows, first.cols, first.depth);
      for (Index n = 0; n < count; ++n) multiply_strassen(batch[n], levels, scratch, parallel);
      return;
    }
    case MatmulMethod::eigen:
      for (Index n = 0; n < count; ++n) eigen_kernels().multiply(batch[n]);
      return;
    default:
      for (Index n = 0; n < count; ++n) {
        if (multiply_in_order(method, batch[n])) continue;
        fail(call, "method",
             "there is no method number " + std::to_string(static_cast<int>(method)));
      }
  }
}

}  // namespace tril::detail
