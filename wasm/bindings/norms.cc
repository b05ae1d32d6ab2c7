#include <emscripten/bind.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>

#include <algorithm>
#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

struct NormOptions {
  int axes;  // number of last axes that are normalised together
  double eps;
};

// Takes the last `axes` axes of x as columns, and all before them as rows. Throws Error, naming
// `call`, where x has fewer.
Shape<2> rows_and_columns(const Tensor& x, int axes, const char* call) {
  if (axes < 1 || axes > x.rank()) {
    fail(call, "axes",
         {"must be from 1 to the ", x.rank(), " that x has, is ", axes, "; x is ", x});
  }
  Shape<2> shape{1, 1};
  for (int axis = 1; axis <= x.rank(); ++axis) shape[axis <= axes ? 1 : 0] *= x.size(-axis);
  return shape;
}

// One number per column, in the shape of the column axes.
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

// weight and bias: null, or of the shape of those axes.
TensorHandle layer_norm(Engine& engine, const Tensor& x, const Tensor* weight, const Tensor* bias,
                        const NormOptions& options, Tensor* out) {
  constexpr const char* kCall = "layer_norm";
  const Shape<2> shape = rows_and_columns(x, options.axes, kCall);
  const auto scale = per_column(weight, x, options.axes, kCall, "weight");
  const auto shift = per_column(bias, x, options.axes, kCall, "bias");
  const Output output(engine, out, x.shape(), kCall);
  tril::layer_norm({x.data(), shape}, scale, shift, {.eps = options.eps}, {output->data(), shape},
                   engine.context);
  return output.handle();
}

TensorHandle rms_norm(Engine& engine, const Tensor& x, const Tensor* weight,
                      const NormOptions& options, Tensor* out) {
  constexpr const char* kCall = "rms_norm";
  const Shape<2> shape = rows_and_columns(x, options.axes, kCall);
  const auto scale = per_column(weight, x, options.axes, kCall, "weight");
  const Output output(engine, out, x.shape(), kCall);
  tril::rms_norm({x.data(), shape}, scale, {.eps = options.eps}, {output->data(), shape},
                 engine.context);
  return output.handle();
}

// The weight as a vector, or none.
VectorView<const float> column_weights(const Tensor* weight) {
  if (!weight) return {};
  return {weight->data(), {weight->count()}};
}

// One axis for the normalised axes and one for all before them, once `weight` is known to have the
// shape of the normalised ones.
struct NormShape {
  Shape<2> rows;
  DynamicShape weight;

  NormShape(const Tensor& d_out, const Tensor& x, const Tensor* given, int axes, const char* call)
      : rows(rows_and_columns(x, axes, call)), weight(x.shape().end() - axes, x.shape().end()) {
    check_same_shape(d_out, x.shape(), call, "d_out", "x");
    if (given) check_same_shape(*given, weight, call, "weight", "the normalised axes");
  }
};

// The backward pass of layer_norm, which centres, gives dX, dWeight and dBias; that of rms_norm
// gives dX and dWeight. weight may be null.
NamedTensors norm_backward(Engine& engine, bool centred, const Tensor& d_out, const Tensor& x,
                           const Tensor* weight, const NormOptions& options) {
  const char* const call = centred ? "layer_norm_backward" : "rms_norm_backward";
  const NormShape shape(d_out, x, weight, options.axes, call);
  Results results(engine, call);
  const MatrixView<float> d_x(results.make("dX", x.shape()).data(), shape.rows);
  const VectorView<float> d_weight = vector_of(results.make("dWeight", shape.weight));
  const MatrixView<const float> from(d_out.data(), shape.rows), rows(x.data(), shape.rows);
  // Repeats the forward pass for its rstd and mean; its output uses the memory of d_x.
  Scratch::Frame frame(engine.scratch);
  const Shape<1> each{shape.rows[0]};
  const VectorView<float> rstd(frame.take<float>(each[0]), each);
  if (!centred) {
    tril::rms_norm(rows, {}, {.eps = options.eps}, d_x, engine.context, rstd);
    tril::rms_norm_backward(from, rows, column_weights(weight), rstd, {d_x, d_weight},
                            engine.context);
    return results.hand_over();
  }
  const VectorView<float> mean(frame.take<float>(each[0]), each);
  const VectorView<float> d_bias = vector_of(results.make("dBias", shape.weight));
  tril::layer_norm(rows, {}, {}, {.eps = options.eps}, d_x, engine.context, {mean, rstd});
  tril::layer_norm_backward(from, rows, column_weights(weight), mean, rstd, {d_x, d_weight, d_bias},
                            engine.context);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_norms) {
  using namespace emscripten;
  value_object<NormOptions>("_NormOptions")
      .field("axes", &NormOptions::axes)
      .field("eps", &NormOptions::eps);
  function("_layerNorm", guard<&layer_norm>, allow_raw_pointers());
  function("_rmsNorm", guard<&rms_norm>, allow_raw_pointers());
  function("_normBackward", guard<&norm_backward>, allow_raw_pointers());
}

}  // namespace tril::js
