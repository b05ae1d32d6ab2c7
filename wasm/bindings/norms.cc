#include "norms.h"

#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>

#include <algorithm>
#include <string>

#include "output.h"

namespace tril::js {

Shape<2> rows_and_columns(const Tensor& x, int axes, const char* call) {
  if (axes < 1 || axes > x.rank()) {
    fail(call, "axes",
         {"must be from 1 to the ", x.rank(), " that x has, is ", axes, "; x is ", x});
  }
  Shape<2> shape{1, 1};
  for (int axis = 1; axis <= x.rank(); ++axis) shape[axis <= axes ? 1 : 0] *= x.size(-axis);
  return shape;
}

namespace {

// One number for every column, in the shape of the axes that the columns are made of.
VectorView<const float> per_column(const Tensor* tensor, const Tensor& x, int axes,
                                   const char* call, const char* argument) {
  if (!tensor) return {};
  if (!std::equal(tensor->shape().begin(), tensor->shape().end(), x.shape().end() - axes,
                  x.shape().end())) {
    fail(call, argument,
         {"must have the shape of the normalised axes, the last ", axes, " of x; x is ", x,
          ", this is ", *tensor});
  }
  return {tensor->data(), {tensor->count()}};
}

}  // namespace

TensorHandle layer_norm(Engine& engine, const Tensor& x, const Tensor* weight, const Tensor* bias,
                        const NormOptions& options, Tensor* out) {
  constexpr const char* kCall = "layer_norm";
  const Shape<2> shape = rows_and_columns(x, options.axes, kCall);
  const auto scale = per_column(weight, x, options.axes, kCall, "weight");
  const auto shift = per_column(bias, x, options.axes, kCall, "bias");
  const Output output(engine, out, x.shape(), kCall);
  tril::layer_norm({x.data(), shape}, scale, shift, {.eps = options.eps}, {output->data(), shape},
                   engine.parallel);
  return output.handle();
}

TensorHandle rms_norm(Engine& engine, const Tensor& x, const Tensor* weight,
                      const NormOptions& options, Tensor* out) {
  constexpr const char* kCall = "rms_norm";
  const Shape<2> shape = rows_and_columns(x, options.axes, kCall);
  const auto scale = per_column(weight, x, options.axes, kCall, "weight");
  const Output output(engine, out, x.shape(), kCall);
  tril::rms_norm({x.data(), shape}, scale, {.eps = options.eps}, {output->data(), shape},
                 engine.parallel);
  return output.handle();
}

}  // namespace tril::js
