#include <tril/matmul/hidden_rows.h>
#include <tril/matmul/method.h>
#include <tril/matmul/tile_kernels.h>

#include <algorithm>

namespace tril::detail {
namespace {

bool all_rows_finite(const MatrixView<const float>& x) noexcept {
  for (Index row = 0; row < x.size(0); ++row) {
    if (!all_finite(x[row].data(), x.size(1))) return false;
  }
  return true;
}

MatrixView<float> copy(const MatrixView<const float>& x, Scratch::Frame& frame) {
  const MatrixView<float> copied(frame.take<float>(x.size(0), x.size(1)), x.shape());
  for (Index row = 0; row < x.size(0); ++row) {
    std::copy_n(x[row].data(), x.size(1), copied[row].data());
  }
  return copied;
}

}  // namespace

bool all_finite(const float* x, Index count) noexcept {
  return tile_kernels().all_finite(x, count);
}

void clear_not_finite(float* x, Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) x[i] = 0.0f;
  }
}

void run_hiding_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatmulOptions& options, const MatrixView<float>& out,
                       const Context& context) {
  if (all_rows_finite(b)) return run_matmul(a, b, options, out, context);
  Scratch::Frame frame(context.scratch);
  const MatrixView<float> finite = copy(b, frame);
  clear_not_finite(finite.data(), finite.count());
  run_matmul(a, finite, options, out, context);
  add_not_finite(b, out.size(0), out, [&](Index i, Index k) noexcept {
    return options.transpose_a ? a[k].data()[i] : a[i].data()[k];
  });
}

MatrixView<const float> live_rows(const MatrixView<const float>& x,
                                  const MatrixView<const float>& d, Scratch::Frame& frame) {
  MatrixView<float> copied;
  for (Index row = 0; row < x.size(0); ++row) {
    if (!all_zero(d[row].data(), d.size(1)) || all_finite(x[row].data(), x.size(1))) continue;
    if (!copied) copied = copy(x, frame);
    std::fill_n(copied[row].data(), x.size(1), 0.0f);
  }
  if (copied) return copied;
  return x;
}

}  // namespace tril::detail
