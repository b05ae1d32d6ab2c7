// Any shapes, strides and options: an Error before anything is written, or the exact product, since
// the elements are small integers.
#include <tril/foundation/error.h>
#include <tril/matmul/batched.h>
#include <tril/matmul/matmul.h>

#include <cmath>
#include <cstdint>

#include "arguments.h"
#include "require.h"

using namespace tril;

namespace {

MatmulOptions options(fuzz::Arguments& from) {
  MatmulOptions options;
  options.method = static_cast<MatmulMethod>(from.number(0, 10));
  if (from.seldom()) options.method = static_cast<MatmulMethod>(from.number(-1, 12));
  options.transpose_a = from.flag();
  options.transpose_b = from.flag();
  options.accumulate = from.flag();
  if (from.flag()) options.alpha = static_cast<float>(from.number(-2, 2));
  if (from.seldom()) options.alpha = from.any_float();
  return options;
}

// Products of numbers from -1 to 2, sums of at most 40 of them and alpha: exact in float.
bool exact(const MatmulOptions& options) {
  return std::fabs(options.alpha) <= 2 && options.alpha == std::round(options.alpha);
}

void one_product(fuzz::Arguments& from) {
  const MatmulOptions with = options(from);
  const Index rows = from.number(1, 40), depth = from.number(1, 40), cols = from.number(1, 40);
  const MatrixView<float> a = from.view<2>(
                              with.transpose_a ? Shape<2>{depth, rows} : Shape<2>{rows, depth},
                              true),
                          b = from.view<2>(
                              with.transpose_b ? Shape<2>{cols, depth} : Shape<2>{depth, cols},
                              true);
  MatrixView<float> out = from.view<2>({rows, cols}, from.seldom());
  if (from.seldom()) out = a;
  const std::vector<std::vector<float>> before = from.memory();
  Scratch scratch;
  Parallel parallel(1);
  try {
    matmul(a, b, with, out, {scratch, parallel});
  } catch (const Error&) {
    fuzz::require(from.memory() == before, "after an error nothing is written");
    return;
  }
  if (!exact(with)) return;
  // One element more: an empty vector has no address, and an empty view must have one.
  std::vector<double> expected(static_cast<std::size_t>(out.count()) + 1);
  const MatrixView<double> wanted(expected.data(), out.shape());
  // The former contents of out, the last of these buffers.
  const MatrixView<const float> old(before.back().data(), out.shape(), out.strides());
  for (Index i = 0; i < out.size(0); ++i) {
    for (Index j = 0; j < out.size(1); ++j) wanted[i][j] = old[i][j];
  }
  matmul_reference(a, b, with, wanted);
  for (Index i = 0; i < out.size(0); ++i) {
    for (Index j = 0; j < out.size(1); ++j) {
      fuzz::require(out[i][j] == wanted[i][j], "the product is exact");
    }
  }
}

void stack_of_products(fuzz::Arguments& from) {
  const MatmulOptions with = options(from);
  const Index n = from.number(1, 4), m = from.number(1, 4), rows = from.number(1, 9),
              depth = from.number(1, 9), cols = from.number(1, 9);
  const AnyView<const float> a = from.view<4>({from.flag() ? n : 1, m, rows, depth}, true);
  const AnyView<const float> b =
      from.flag() ? AnyView<const float>(from.view<3>({from.flag() ? m : 1, depth, cols}, true))
                  : AnyView<const float>(from.view<2>({depth, cols}, true));
  AnyView<float> out(from.view<4>({n, m, rows, cols}, from.seldom()));
  if (from.seldom()) out.shape.rank = static_cast<int>(from.number(-1, 9));
  const std::vector<std::vector<float>> before = from.memory();
  Scratch scratch;
  Parallel parallel(1);
  try {
    batched_matmul(a, b, with, out, {scratch, parallel});
  } catch (const Error&) {
    fuzz::require(from.memory() == before, "after an error nothing is written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Arguments from(data, size);
  from.flag() ? one_product(from) : stack_of_products(from);
  return 0;
}
