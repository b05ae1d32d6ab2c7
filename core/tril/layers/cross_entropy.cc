#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/loss_kernels.h>
#include <tril/layers/partial_sums.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tril {

TRIL_DEFINE_DISPATCH(LossKernels, kLossKernels, loss_kernels)

namespace {

constexpr const char* kCall = "cross_entropy";

// The sums over a range of rows.
struct Sums {
  double loss = 0;
  Index correct = 0;
};

// Throws Error where an argument is wrong; returns the number of targets that count.
Index check(const MatrixView<const float>& logits, const VectorView<const std::int32_t>& targets,
            const CrossEntropyOptions& options, const MatrixView<float>& d_logits) {
  check_view(logits, kCall, "logits");
  const Index rows = logits.size(0), classes = logits.size(1);
  const Message why{"logits is ", logits};
  check_shape(targets, {rows}, kCall, "targets", why);
  if (d_logits) {
    check_shape(d_logits, logits.shape(), kCall, "d_logits", why);
    check_in_place(d_logits, logits, kCall, "d_logits");
    check_no_overlap(d_logits, targets, kCall, "d_logits");
  }
  if (options.reduction != Reduction::mean && options.reduction != Reduction::sum) {
    fail(kCall, "reduction", "is neither mean nor sum");
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    fail(kCall, "label_smoothing", {"must be from 0 to 1, is ", options.label_smoothing});
  }
  if (!std::isfinite(options.gradient_scale)) {
    fail(kCall, "gradient_scale", {"must be finite, is ", options.gradient_scale});
  }
  Index counted = 0;
  for (Index n = 0; n < rows; ++n) {
    if (targets[n] == options.ignore) continue;
    if (targets[n] < 0 || targets[n] >= classes) {
      fail(kCall, "targets", {targets[n], " at ", n, " is none of the ", classes, " classes"});
    }
    ++counted;
  }
  return counted;
}

// log(sum e^x): -infinity where every x is -infinity, NaN where one is NaN.
double log_sum_exp(const LossKernels::Row& row) noexcept {
  if (row.powers > 0 && std::isfinite(row.powers)) return row.shift + logarithm(row.powers);
  return row.powers == 0 ? -std::numeric_limits<double>::infinity() : row.powers;
}

}  // namespace

// for each row n whose target counts:
//   loss += log_sum_exp - (1 - s) x[target] - s / V * sum of x
//   d_x = factor (softmax(x) - s / V);  d_x[target] -= factor (1 - s)
CrossEntropyResult cross_entropy(MatrixView<const float> logits,
                                 VectorView<const std::int32_t> targets,
                                 const CrossEntropyOptions& options, MatrixView<float> d_logits,
                                 const Context& context) {
  const Index counted = check(logits, targets, options, d_logits);
  const Index rows = logits.size(0), classes = logits.size(1);
  const double divisor =
      options.reduction == Reduction::mean && counted > 0 ? static_cast<double>(counted) : 1;
  const auto factor = static_cast<float>(options.gradient_scale / divisor);
  const double share = options.label_smoothing / static_cast<double>(classes);
  const double rest = 1 - options.label_smoothing;
  const auto kernel = loss_kernels().cross_entropy;

  const detail::RowRanges ranges(rows);
  Scratch::Frame frame(context.scratch);
  Sums* const sums = frame.take<Sums>(ranges.count());
  context.parallel.for_each(ranges.count(), [&](Index range, int) {
    Sums own;
    for (Index n = ranges.first(range); n < ranges.last(range); ++n) {
      const float* const x = logits[n].data();
      float* const d_x = d_logits ? d_logits[n].data() : nullptr;
      const std::int32_t target = targets[n];
      if (target == options.ignore) {
        if (d_x) std::fill_n(d_x, classes, 0.0f);
        continue;
      }
      const double right = x[target];
      const LossKernels::Row row = kernel(x, target, d_x, classes, factor,
                                          static_cast<float>(share), static_cast<float>(rest));
      own.correct += row.correct ? 1 : 0;
      own.loss += log_sum_exp(row) - rest * right;
      if (share > 0) own.loss -= share * row.sum;
    }
    sums[range] = own;
  });
  CrossEntropyResult result{0, counted, 0};
  for (Index range = 0; range < ranges.count(); ++range) {
    result.loss += sums[range].loss;
    result.correct += sums[range].correct;
  }
  result.loss /= divisor;
  return result;
}

}  // namespace tril
