#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/ranges.h>
#include <tril/training/optimizer_kernels.h>
#include <tril/training/optimizers.h>

#include <cmath>
#include <string>

namespace tril {

TRIL_DEFINE_DISPATCH(OptimizerKernels, kOptimizerKernels, optimizer_kernels)

namespace {

void check_number(const char* call, const char* name, double value, bool fits, const char* what) {
  if (std::isfinite(value) && fits) return;
  fail(call, name, {"must be ", what, ", is ", value});
}

void check_rate(const char* call, double rate, double weight_decay, double gradient_scale) {
  check_number(call, "learning_rate", rate, rate > 0, "finite and above 0");
  check_number(call, "weight_decay", weight_decay, weight_decay >= 0, "finite and at least 0");
  check_number(call, "gradient_scale", gradient_scale, true, "finite");
}

void check_share(const char* call, const char* name, double value) {
  check_number(call, name, value, value >= 0 && value < 1, "at least 0 and below 1");
}

double power(double base, double exponent) noexcept {
  return base == 0 ? 0 : exponential(exponent * logarithm(base));
}

}  // namespace

void adamw_step(VectorView<float> values, VectorView<const float> gradient,
                VectorView<float> first_moment, VectorView<float> second_moment, std::int64_t step,
                const AdamWOptions& options, const Context& context) {
  constexpr const char* kCall = "adamw_step";
  check_view(values, kCall, "values");
  const Message why{"values is ", values};
  check_shape(gradient, values.shape(), kCall, "gradient", why);
  check_shape(first_moment, values.shape(), kCall, "first_moment", why);
  check_shape(second_moment, values.shape(), kCall, "second_moment", why);
  check_no_overlap(values, gradient, kCall, "values");
  check_no_overlap(first_moment, gradient, kCall, "first_moment");
  check_no_overlap(second_moment, gradient, kCall, "second_moment");
  check_no_overlap(first_moment, values, kCall, "first_moment");
  check_no_overlap(second_moment, values, kCall, "second_moment");
  check_no_overlap(second_moment, first_moment, kCall, "second_moment");
  if (step < 1) fail(kCall, "step", {"must be at least 1, is ", step});
  check_rate(kCall, options.learning_rate, options.weight_decay, options.gradient_scale);
  check_share(kCall, "beta1", options.beta1);
  check_share(kCall, "beta2", options.beta2);
  check_number(kCall, "eps", options.eps, options.eps >= 0, "finite and at least 0");

  const auto t = static_cast<double>(step);
  const OptimizerKernels::AdamW numbers{
      .keep = static_cast<float>(1 - options.learning_rate * options.weight_decay),
      .scale = static_cast<float>(options.gradient_scale),
      .gain1 = static_cast<float>(1 - options.beta1),
      .beta2 = static_cast<float>(options.beta2),
      .gain2 = static_cast<float>(1 - options.beta2),
      .step = static_cast<float>(options.learning_rate / (1 - power(options.beta1, t))),
      .root_scale = static_cast<float>(1 / std::sqrt(1 - power(options.beta2, t))),
      .eps = static_cast<float>(options.eps)};
  const auto kernel = optimizer_kernels().adamw;
  for_row_ranges(values.size(0), 1, context, [&](Index first, Index last) {
    kernel(values.data() + first, gradient.data() + first, first_moment.data() + first,
           second_moment.data() + first, last - first, numbers);
  });
}

void sgd_step(VectorView<float> values, VectorView<const float> gradient,
              VectorView<float> momentum, const SgdOptions& options, const Context& context) {
  constexpr const char* kCall = "sgd_step";
  check_view(values, kCall, "values");
  const Message why{"values is ", values};
  check_shape(gradient, values.shape(), kCall, "gradient", why);
  if (momentum || options.momentum != 0) {
    check_shape(momentum, values.shape(), kCall, "momentum", why);
  }
  check_no_overlap(values, gradient, kCall, "values");
  check_no_overlap(momentum, gradient, kCall, "momentum");
  check_no_overlap(momentum, values, kCall, "momentum");
  check_rate(kCall, options.learning_rate, options.weight_decay, options.gradient_scale);
  check_share(kCall, "momentum", options.momentum);

  const OptimizerKernels::Sgd numbers{.rate = static_cast<float>(options.learning_rate),
                                      .momentum = static_cast<float>(options.momentum),
                                      .weight_decay = static_cast<float>(options.weight_decay),
                                      .scale = static_cast<float>(options.gradient_scale)};
  const auto kernel = optimizer_kernels().sgd;
  for_row_ranges(values.size(0), 1, context, [&](Index first, Index last) {
    kernel(values.data() + first, gradient.data() + first,
           momentum ? momentum.data() + first : nullptr, last - first, numbers);
  });
}

}  // namespace tril
