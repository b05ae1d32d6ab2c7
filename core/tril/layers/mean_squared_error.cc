#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/loss_kernels.h>
#include <tril/layers/mean_squared_error.h>
#include <tril/layers/partial_sums.h>

namespace tril {

double mean_squared_error(MatrixView<const float> x, MatrixView<const float> y, Reduction reduction,
                          MatrixView<float> d_x, const Context& context) {
  constexpr const char* kCall = "mean_squared_error";
  check_view(x, kCall, "x");
  const Message why{"x is ", x};
  check_shape(y, x.shape(), kCall, "y", why);
  if (d_x) {
    check_shape(d_x, x.shape(), kCall, "d_x", why);
    check_in_place(d_x, x, kCall, "d_x");
    check_no_overlap(d_x, y, kCall, "d_x");
  }
  if (reduction != Reduction::mean && reduction != Reduction::sum) {
    fail(kCall, "reduction", "is neither mean nor sum");
  }
  const double divisor = reduction == Reduction::mean ? static_cast<double>(x.count()) : 1;
  const auto factor = static_cast<float>(2 / divisor);
  const auto kernel = loss_kernels().squared_error;
  const detail::RowRanges ranges(x.size(0));
  Scratch::Frame frame(context.scratch);
  double* const sums = frame.take<double>(ranges.count());
  context.parallel.for_each(ranges.count(), [&](Index range, int) {
    double sum = 0;
    for (Index n = ranges.first(range); n < ranges.last(range); ++n) {
      sum += kernel(x[n].data(), y[n].data(), d_x ? d_x[n].data() : nullptr, x.size(1), factor);
    }
    sums[range] = sum;
  });
  double loss = 0;
  for (Index range = 0; range < ranges.count(); ++range) loss += sums[range];
  return loss / divisor;
}

}  // namespace tril
