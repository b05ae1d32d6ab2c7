#include <tril/foundation/check.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/partial_sums.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/hidden_rows.h>
#include <tril/matmul/method.h>

namespace tril {

void linear_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                     MatrixView<const float> weight, const LinearGradients& gradients,
                     const Context& context) {
  constexpr const char* kCall = "linear_backward";
  const MatrixView<float>& d_x = gradients.d_x;
  const MatrixView<float>& d_weight = gradients.d_weight;
  const TensorView<float, 1>& d_bias = gradients.d_bias;
  check_view(d_out, kCall, "d_out", Empty::allowed);
  const Index rows = d_out.size(0), cols = d_out.size(1);
  const Message and_x{", x is ", x}, and_weight{", weight is ", weight}, nothing{""};
  const Message why{"d_out is ", d_out, x ? and_x : nothing, weight ? and_weight : nothing};
  if (d_x) {
    check_view(weight, kCall, "weight", Empty::allowed);
    check_shape(weight, {cols, weight.size(1)}, kCall, "weight", why);
    check_shape(d_x, {rows, weight.size(1)}, kCall, "d_x", why);
  }
  if (d_weight) {
    check_view(x, kCall, "x", Empty::allowed);
    check_shape(x, {rows, x.size(1)}, kCall, "x", why);
    check_shape(d_weight, {cols, x.size(1)}, kCall, "d_weight", why);
  }
  if (d_bias) check_shape(d_bias, {cols}, kCall, "d_bias", why);
  const auto check_written = [&](const auto& written, const char* name) {
    check_no_overlap(written, d_out, kCall, name);
    check_no_overlap(written, x, kCall, name);
    check_no_overlap(written, weight, kCall, name);
  };
  check_written(d_x, "d_x");
  check_written(d_weight, "d_weight");
  check_written(d_bias, "d_bias");
  check_no_overlap(d_weight, d_x, kCall, "d_weight");
  check_no_overlap(d_bias, d_x, kCall, "d_bias");
  check_no_overlap(d_bias, d_weight, kCall, "d_bias");

  detail::run_linear_backward(d_out, x, weight, gradients, context);
}

void detail::run_linear_backward(const MatrixView<const float>& d_out,
                                 const MatrixView<const float>& x,
                                 const MatrixView<const float>& weight,
                                 const LinearGradients& gradients, const Context& context) {
  const Index rows = d_out.size(0), cols = d_out.size(1);
  const MatrixView<float>&d_x = gradients.d_x, &d_weight = gradients.d_weight;
  const VectorView<float>& d_bias = gradients.d_bias;
  // The sums come first: they take working memory of their own, and nothing is written if there is
  // none.
  if (d_bias) {
    const auto add = arithmetic_kernels().of(Binary::add);
    sum_rows(
        rows, cols, context, [&](Index n, float* sums) { add(sums, d_out[n].data(), sums, cols); },
        [&](const float* sums) { add_sums(sums, d_bias); });
  }
  if (d_weight) {
    Scratch::Frame frame(context.scratch);
    run_matmul(d_out, live_rows(x, d_out, frame), {.transpose_a = true, .accumulate = true},
               d_weight, context);
  }
  if (d_x) run_matmul(d_out, weight, {}, d_x, context);
}

}  // namespace tril
