#include <tril/foundation/check.h>
#include <tril/layers/softmax.h>
#include <tril/layers/softmax_kernels.h>

#include <algorithm>
#include <cmath>

namespace tril {

TRIL_DEFINE_DISPATCH(SoftmaxKernels, kSoftmaxKernels, softmax_kernels)

namespace {

// About this many elements are one piece of work: 64 KiB.
constexpr Index kElementsPerItem = 16384;

// Where the `slice`-th of the slices starts that fixing every axis of `view` but two leaves over:
// `axis`, along which softmax runs, and the last one. (They may be the same.)
template <typename T, int Rank>
T* slice_start(const TensorView<T, Rank>& view, int axis, Index slice) noexcept {
  T* start = view.data();
  for (int other = Rank - 2; other >= 0; --other) {
    if (other == axis) continue;
    start += slice % view.size(other) * view.stride(other);
    slice /= view.size(other);
  }
  return start;
}

template <int Rank>
void normalise(const char* call, TensorView<const float, Rank> x, const SoftmaxOptions& options,
               TensorView<float, Rank> out, Parallel& parallel, SoftmaxRow row,
               SoftmaxColumns columns) {
  check_view(x, call, "x");
  check_shape(out, x.shape(), call, "out", "that of x");
  const bool in_place = out.data() == x.data() && out.strides() == x.strides();
  if (!in_place) check_no_overlap(out, x, call, "out");
  if (options.axis < -Rank || options.axis >= Rank) {
    fail(call, "axis", std::to_string(options.axis) + " is not an axis of x " + shape_text(x));
  }
  const auto scale = static_cast<float>(1 / options.temperature);
  if (!(options.temperature > 0 && std::isnormal(scale))) {
    fail(call, "temperature", "must be finite and above 0, is " + number_text(options.temperature));
  }

  const int axis = options.axis < 0 ? options.axis + Rank : options.axis;
  const Index length = x.size(axis), last = x.size(Rank - 1);
  const Index elements = axis == Rank - 1 ? last : length * last;
  const Index slices = x.count() / elements;
  const Index step = 1 + kElementsPerItem / elements;
  parallel.for_each((slices + step - 1) / step, [&](Index item, int) {
    const Index end = std::min(slices, (item + 1) * step);
    for (Index slice = item * step; slice < end; ++slice) {
      const float* const from = slice_start(x, axis, slice);
      float* const to = slice_start(out, axis, slice);
      if (axis == Rank - 1) {
        row(from, to, length, scale);
      } else {
        columns(from, x.stride(axis), to, out.stride(axis), length, last, scale);
      }
    }
  });
}

template <int Rank>
void softmax_of(TensorView<const float, Rank> x, const SoftmaxOptions& options,
                TensorView<float, Rank> out, Parallel& parallel) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("softmax", x, options, out, parallel, kernels.row, kernels.columns);
}

template <int Rank>
void log_softmax_of(TensorView<const float, Rank> x, const SoftmaxOptions& options,
                    TensorView<float, Rank> out, Parallel& parallel) {
  const SoftmaxKernels& kernels = softmax_kernels();
  normalise("log_softmax", x, options, out, parallel, kernels.log_row, kernels.log_columns);
}

}  // namespace

void softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
             Parallel& parallel) {
  softmax_of(x, options, out, parallel);
}
void softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
             Parallel& parallel) {
  softmax_of(x, options, out, parallel);
}
void softmax(TensorView<const float, 3> x, const SoftmaxOptions& options, TensorView<float, 3> out,
             Parallel& parallel) {
  softmax_of(x, options, out, parallel);
}
void softmax(TensorView<const float, 4> x, const SoftmaxOptions& options, TensorView<float, 4> out,
             Parallel& parallel) {
  softmax_of(x, options, out, parallel);
}

void log_softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
                 Parallel& parallel) {
  log_softmax_of(x, options, out, parallel);
}
void log_softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
                 Parallel& parallel) {
  log_softmax_of(x, options, out, parallel);
}
void log_softmax(TensorView<const float, 3> x, const SoftmaxOptions& options,
                 TensorView<float, 3> out, Parallel& parallel) {
  log_softmax_of(x, options, out, parallel);
}
void log_softmax(TensorView<const float, 4> x, const SoftmaxOptions& options,
                 TensorView<float, 4> out, Parallel& parallel) {
  log_softmax_of(x, options, out, parallel);
}

}  // namespace tril
