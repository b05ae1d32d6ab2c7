#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/lessons/softmax_steps.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril {

void softmax_steps(MatrixView<const float> x, bool stable, MatrixView<float> out,
                   const SoftmaxTrace& trace) {
  constexpr const char* kCall = "softmax_steps";
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  check_view(x, kCall, "x");
  const Index rows = x.size(0), cols = x.size(1);
  const Message why{"x is ", x};
  check_shape(out, x.shape(), kCall, "out", why);
  if (trace.shift) check_shape(trace.shift, {rows}, kCall, "shift", why);
  if (trace.powers) check_shape(trace.powers, x.shape(), kCall, "powers", why);
  if (trace.sum) check_shape(trace.sum, {rows}, kCall, "sum", why);
  check_no_overlap(out, x, kCall, "out");
  check_no_overlap(trace.powers, x, kCall, "powers");
  check_no_overlap(trace.powers, out, kCall, "powers");
  for (const VectorView<float>& each : {trace.shift, trace.sum}) {
    check_no_overlap(each, x, kCall, "trace");
    check_no_overlap(each, out, kCall, "trace");
    check_no_overlap(each, trace.powers, kCall, "trace");
  }
  check_no_overlap(trace.shift, trace.sum, kCall, "trace");

  for (Index n = 0; n < rows; ++n) {
    const float* const from = x[n].data();
    float* const powers = out[n].data();
    const float largest = *std::max_element(from, from + cols);
    const float shift = stable && largest != -kInfinity ? largest : 0.0f;
    float sum = 0;
    for (Index c = 0; c < cols; ++c) sum += powers[c] = std::exp(from[c] - shift);
    if (trace.shift) trace.shift[n] = shift;
    if (trace.powers) std::copy_n(powers, cols, trace.powers[n].data());
    if (trace.sum) trace.sum[n] = sum;
    const bool nothing = stable && sum == 0;
    for (Index c = 0; c < cols; ++c) powers[c] = nothing ? 0.0f : powers[c] / sum;
  }
}

void concentration(MatrixView<const float> weights, VectorView<float> entropy,
                   VectorView<float> largest) {
  constexpr const char* kCall = "concentration";
  check_view(weights, kCall, "weights");
  const Message why{"weights are ", weights};
  check_shape(entropy, {weights.size(0)}, kCall, "entropy", why);
  check_shape(largest, {weights.size(0)}, kCall, "largest", why);
  check_no_overlap(entropy, weights, kCall, "entropy");
  check_no_overlap(largest, weights, kCall, "largest");
  check_no_overlap(largest, entropy, kCall, "largest");
  for (Index n = 0; n < weights.size(0); ++n) {
    double sum = 0, most = weights[n][0];
    for (Index c = 0; c < weights.size(1); ++c) {
      const double weight = weights[n][c];
      if (weight != 0) sum -= weight * logarithm(weight);
      most = std::max(most, weight);
    }
    entropy[n] = static_cast<float>(sum);
    largest[n] = static_cast<float>(most);
  }
}

}  // namespace tril
