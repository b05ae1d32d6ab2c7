#include <tril/foundation/check.h>
#include <tril/foundation/copy.h>
#include <tril/layers/softmax.h>
#include <tril/lessons/running_average.h>
#include <tril/matmul/hidden_rows.h>

#include <cmath>
#include <string>

namespace tril {
namespace {

constexpr const char* kCall = "running_average";
constexpr Index kLongest = Index{1} << 15;  // [T, T] floats are 4 GiB there

// for every b, t:  sum = x[b, 0] + ... + x[b, t];  out[b, t] = sum (/ (t + 1))
void by_loops(const TensorView<const float, 3>& x, bool sum_only, const TensorView<float, 3>& out) {
  for (Index b = 0; b < x.size(0); ++b) {
    for (Index t = 0; t < x.size(1); ++t) {
      for (Index c = 0; c < x.size(2); ++c) {
        const auto sum_as = [&](auto sum) {
          for (Index s = 0; s <= t; ++s) sum += x[b][s][c];
          return sum;
        };
        const float sum = sum_as(0.0f);
        out[b][t][c] = sum_only ? sum : sum / static_cast<float>(t + 1);
        // A sum may overflow float where the average does not.
        if (sum_only || !std::isinf(sum)) continue;
        out[b][t][c] = static_cast<float>(sum_as(0.0) / static_cast<double>(t + 1));
      }
    }
  }
}

// matrix[t, s] = seen where s <= t, else hidden
void fill_triangle(const MatrixView<float>& matrix, float seen, float hidden) {
  for (Index t = 0; t < matrix.size(0); ++t) {
    for (Index s = 0; s < matrix.size(1); ++s) matrix[t][s] = s <= t ? seen : hidden;
  }
}

// weights[t, :] = ones[t, :] / their sum
void divide_by_row_sums(const MatrixView<float>& ones, const MatrixView<float>& weights) {
  for (Index t = 0; t < ones.size(0); ++t) {
    float sum = 0;
    for (Index s = 0; s < ones.size(1); ++s) sum += ones[t][s];
    for (Index s = 0; s < ones.size(1); ++s) weights[t][s] = ones[t][s] / sum;
  }
}

void check(const TensorView<const float, 3>& x, const RunningAverageOptions& options,
           const TensorView<float, 3>& out, const RunningAverageTrace& trace) {
  check_view(x, kCall, "x");
  check_shape(out, x.shape(), kCall, "out", {"x is ", x});
  check_no_overlap(out, x, kCall, "out");
  if (x.size(1) > kLongest) {
    fail(kCall, "x", {"at most 32768 moments; x is ", x});
  }
  if (options.sum && options.method == AverageMethod::softmax) {
    fail(kCall, "sum", "softmax shares out one whole, so it cannot give sums");
  }
  if (std::isnan(options.hidden) || options.hidden == std::numeric_limits<float>::infinity()) {
    fail(kCall, "hidden", {"must be finite or -inf, is ", options.hidden});
  }
  const Shape<2> square{x.size(1), x.size(1)};
  const auto check_trace = [&](const MatrixView<float>& view, const char* name) {
    if (!view) return;
    if (options.method == AverageMethod::loops) fail(kCall, name, "loops make no matrices");
    check_shape(view, square, kCall, name, {"x is ", x});
    check_no_overlap(view, x, kCall, name);
    check_no_overlap(view, out, kCall, name);
  };
  check_trace(trace.mask, "mask");
  check_trace(trace.weights, "weights");
  if (trace.mask && trace.weights) check_no_overlap(trace.mask, trace.weights, kCall, "mask");
}

}  // namespace

void running_average(TensorView<const float, 3> x, const RunningAverageOptions& options,
                     TensorView<float, 3> out, const Context& context,
                     const RunningAverageTrace& trace) {
  check(x, options, out, trace);
  if (options.method == AverageMethod::loops) return by_loops(x, options.sum, out);

  const Index length = x.size(1);
  const Shape<2> square{length, length};
  Scratch::Frame frame(context.scratch);
  const auto take = [&] { return MatrixView<float>(frame.take<float>(length, length), square); };
  const MatrixView<float> mask = trace.mask ? trace.mask : take();
  const MatrixView<float> weights = trace.weights ? trace.weights : take();
  if (options.method == AverageMethod::softmax) {
    fill_triangle(mask, 0, options.hidden);
    const Shape<3> rows = {1, length, length};
    const Shape<3> strides = {0, mask.stride(0), 1}, out_strides = {0, weights.stride(0), 1};
    softmax(TensorView<const float, 3>(mask.data(), rows, strides), {},
            TensorView<float, 3>(weights.data(), rows, out_strides), context);
  } else {
    fill_triangle(mask, 1, 0);
    if (options.sum) {
      detail::copy(mask, weights);
    } else {
      divide_by_row_sums(mask, weights);
    }
  }
  for (Index b = 0; b < x.size(0); ++b) {
    detail::run_hiding_matmul(weights, x[b], {}, out[b], context);
  }
}

}  // namespace tril
