#include <tril/foundation/check.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/linear.h>
#include <tril/matmul/matmul.h>

#include <algorithm>

namespace tril {
namespace {

// About this many elements are one piece of work: 64 KiB of output.
constexpr Index kElementsPerItem = 16384;

void add_bias(VectorView<const float> bias, MatrixView<float> out, Parallel& parallel) {
  const Index rows = out.size(0), cols = out.size(1);
  const Index step = 1 + kElementsPerItem / cols;
  const auto add = elementwise_kernels().add;
  parallel.for_each((rows + step - 1) / step, [&](Index item, int) {
    const Index end = std::min(rows, (item + 1) * step);
    for (Index n = item * step; n < end; ++n) add(out[n].data(), bias.data(), out[n].data(), cols);
  });
}

}  // namespace

void linear(MatrixView<const float> x, MatrixView<const float> weight, VectorView<const float> bias,
            MatrixView<float> out, Scratch& scratch, Parallel& parallel) {
  check_view(x, "linear", "x");
  check_view(weight, "linear", "weight");
  const auto why = [&] { return "x is " + shape_text(x) + ", weight is " + shape_text(weight); };
  if (x.size(1) != weight.size(1)) {
    fail("linear", "weight",
         "width " + std::to_string(weight.size(1)) + " does not match x's; " + why());
  }
  if (bias) check_shape(bias, {weight.size(0)}, "linear", "bias", why);
  check_shape(out, {x.size(0), weight.size(0)}, "linear", "out", why);
  check_apart(out, x, "linear", "out");
  check_apart(out, weight, "linear", "out");
  check_apart(out, bias, "linear", "out");

  matmul(x, weight, {.transpose_b = true}, out, scratch, parallel);
  if (bias) add_bias(bias, out, parallel);
}

}  // namespace tril
