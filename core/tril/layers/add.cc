#include <tril/layers/add.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/elementwise_kernels.h>

namespace tril {

void add(MatrixView<const float> x, MatrixView<const float> branch, MatrixView<float> out,
         Parallel& parallel) {
  check_view(x, "add", "x");
  check_shape(branch, x.shape(), "add", "branch", "the shape of x");
  check_shape(out, x.shape(), "add", "out", "the shape of x");
  check_in_place(out, x, "add", "out");
  check_in_place(out, branch, "add", "out");
  const auto kernel = elementwise_kernels().add;
  const bool flat = x.is_contiguous() && branch.is_contiguous() && out.is_contiguous();
  for_runs(out, flat, parallel, [&](Index row, Index col, Index count) {
    kernel(x[row].data() + col, branch[row].data() + col, out[row].data() + col, count);
  });
}

}  // namespace tril
