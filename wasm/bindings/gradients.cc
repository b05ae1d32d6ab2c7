#include "gradients.h"

#include <emscripten/bind.h>
#include <tril/attention/attention_backward.h>
#include <tril/layers/activations.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/embedding.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/mean_squared_error.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/softmax.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "feed_forward.h"
#include "heads.h"
#include "output.h"
#include "traces.h"

namespace tril::js {

namespace {

using emscripten::val;

VectorView<float> vector_of(Tensor& tensor) { return {tensor.data(), {tensor.count()}}; }

// What x's rows are multiplied by, or none.
VectorView<const float> column_weights(const Tensor* weight) {
  if (!weight) return {};
  return {weight->data(), {weight->count()}};
}

// One axis for those that are normalised and one for all before them, once `weight` is known to
// have the shape of the first.
struct NormShape {
  Shape<2> rows;
  DynamicShape weight;

  NormShape(const Tensor& d_out, const Tensor& x, const Tensor* given, int axes, const char* call)
      : rows(rows_and_columns(x, axes, call)), weight(x.shape().end() - axes, x.shape().end()) {
    check_same_shape(d_out, x.shape(), call, "d_out", "x");
    if (given) check_same_shape(*given, weight, call, "weight", "the normalised axes");
  }
};

using SoftmaxBackward = void (*)(TensorView<const float, 3>, TensorView<const float, 3>,
                                 const tril::SoftmaxOptions&, TensorView<float, 3>, Parallel&);

TensorHandle along_axis_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                                 const SoftmaxOptions& options, Tensor* out, const char* call,
                                 SoftmaxBackward backward) {
  const Shape<3> shape = around(output, options.axis, call);
  check_same_shape(d_out, output.shape(), call, "d_out", "output");
  const Output made(engine, out, output.shape(), call);
  const Shape<3> rows{1, shape[0], shape[1]};
  const bool along_rows = shape[2] == 1;
  const Shape<3>& chosen = along_rows ? rows : shape;
  backward({d_out.data(), chosen}, {output.data(), chosen},
           {.axis = along_rows ? -1 : -2, .temperature = options.temperature},
           {made->data(), chosen}, engine.parallel);
  return made.handle();
}

}  // namespace

NamedTensors attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                const Tensor& key, const Tensor& value, const Tensor& output,
                                const Tensor& log_sum_exp, const AttentionOptions& options,
                                bool mask_gradient) {
  constexpr const char* kCall = "attention_backward";
  const HeadLayout layout(query, options.heads, kCall);
  const MaskArgument mask(options.mask, kCall);
  const auto q = layout.view(query, options.heads, kCall, "query");
  const auto k = layout.view(key, options.kv_heads, kCall, "key");
  const auto v = layout.view(value, options.kv_heads, kCall, "value");
  const Shape<3> sums{q.size(0), q.size(1), q.size(2)};
  check_same_shape(output, layout.tensor_shape({sums[0], sums[1], sums[2], v.size(3)}), kCall,
                   "output", "attention's output");
  check_same_shape(d_out, output.shape(), kCall, "d_out", "output");
  check_same_shape(log_sum_exp, {sums.begin() + layout.left_out(), sums.end()}, kCall, "logSumExp",
                   "a sum for each query");
  Results results(engine, kCall);
  const auto gradient = [&](const char* name, const Tensor& of, int heads) {
    return layout.view(results.make(name, of.shape()), heads, kCall, name);
  };
  AttentionGradients gradients{.d_query = gradient("dQuery", query, options.heads),
                               .d_key = gradient("dKey", key, options.kv_heads),
                               .d_value = gradient("dValue", value, options.kv_heads)};
  if (mask_gradient) {
    gradients.d_mask = Traces(results, layout.left_out())
                           .make("dMask", Shape<4>{sums[0], sums[1], sums[2], k.size(2)});
  }
  tril::attention_backward(layout.view(d_out, options.heads, kCall, "d_out"), q, k, v,
                           layout.view(output, options.heads, kCall, "output"),
                           {log_sum_exp.data(), sums}, options.core(mask.mask(), 0, kCall),
                           gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

TensorHandle softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                              const SoftmaxOptions& options, Tensor* out) {
  return along_axis_backward(engine, d_out, output, options, out, "softmax_backward",
                             tril::softmax_backward);
}

TensorHandle log_softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                                  const SoftmaxOptions& options, Tensor* out) {
  return along_axis_backward(engine, d_out, output, options, out, "log_softmax_backward",
                             tril::log_softmax_backward);
}

NamedTensors linear_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                             const Tensor& weight) {
  constexpr const char* kCall = "linear_backward";
  const MatrixView<const float> w = matrix(weight, kCall, "weight");
  if (x.size(-1) != w.size(1)) {
    fail(kCall, "x", {"must be as wide as weight, ", weight, "; shape is ", x});
  }
  check_same_shape(d_out, with_width(x.shape(), w.size(0)), kCall, "d_out", "the output");
  Results results(engine, kCall);
  const auto matrix_of = [](Tensor& tensor) {
    return MatrixView<float>(tensor.data(), {tensor.size(0), tensor.size(1)});
  };
  const LinearGradients gradients{.d_x = rows_of(results.make("dX", x.shape())),
                                  .d_weight = matrix_of(results.make("dWeight", weight.shape())),
                                  .d_bias = vector_of(results.make("dBias", {w.size(0)}))};
  tril::linear_backward(rows_of(d_out), rows_of(x), w, gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

NamedTensors norm_backward(Engine& engine, bool centred, const Tensor& d_out, const Tensor& x,
                           const Tensor* weight, const NormOptions& options) {
  const char* const call = centred ? "layer_norm_backward" : "rms_norm_backward";
  const NormShape shape(d_out, x, weight, options.axes, call);
  Results results(engine, call);
  const MatrixView<float> d_x(results.make("dX", x.shape()).data(), shape.rows);
  const VectorView<float> d_weight = vector_of(results.make("dWeight", shape.weight));
  const MatrixView<const float> from(d_out.data(), shape.rows), rows(x.data(), shape.rows);
  // The forward pass again, for its rstd and mean; its output lies where d_x will.
  Scratch::Frame frame(engine.scratch);
  const Shape<1> each{shape.rows[0]};
  const VectorView<float> rstd(frame.take<float>(each[0]), each);
  if (!centred) {
    tril::rms_norm(rows, {}, {.eps = options.eps}, d_x, engine.parallel, rstd);
    tril::rms_norm_backward(from, rows, column_weights(weight), rstd, {d_x, d_weight},
                            engine.scratch, engine.parallel);
    return results.hand_over();
  }
  const VectorView<float> mean(frame.take<float>(each[0]), each);
  const VectorView<float> d_bias = vector_of(results.make("dBias", shape.weight));
  tril::layer_norm(rows, {}, {}, {.eps = options.eps}, d_x, engine.parallel, {mean, rstd});
  tril::layer_norm_backward(from, rows, column_weights(weight), mean, rstd, {d_x, d_weight, d_bias},
                            engine.scratch, engine.parallel);
  return results.hand_over();
}

TensorHandle activate_backward(Engine& engine, const std::string& name, const Tensor& d_out,
                               const Tensor& x, const std::string& activation, Tensor* out) {
  const char* const call = name.c_str();
  const Activation kind = activation_named(activation, call);
  check_same_shape(d_out, x.shape(), call, "d_out", "x");
  const Output made(engine, out, x.shape(), call);
  const MatrixView<const float> from = rows_of(d_out), at = rows_of(x);
  const MatrixView<float> to = rows_of(*made);
  switch (kind) {
    case Activation::relu:
      relu_backward(from, at, to, engine.parallel);
      break;
    case Activation::gelu:
    case Activation::gelu_tanh:
      gelu_backward(from, at, kind == Activation::gelu ? GeluForm::exact : GeluForm::tanh, to,
                    engine.parallel);
      break;
    case Activation::silu:
      silu_backward(from, at, to, engine.parallel);
      break;
  }
  return made.handle();
}

TensorHandle embedding_backward(Engine& engine, const Tensor& d_out, const Integers& ids,
                                const Numbers& ids_shape, int rows) {
  constexpr const char* kCall = "embedding_backward";
  const auto picked = emscripten::convertJSArrayToNumberVector<std::int32_t>(ids);
  DynamicShape shape = shape_from(ids_shape);
  shape.push_back(d_out.size(-1));
  check_same_shape(d_out, shape, kCall, "d_out", "the ids and a width");
  const TensorHandle made =
      std::make_shared<Tensor>(engine, DynamicShape{rows, d_out.size(-1)}, kCall);
  tril::embedding_backward(rows_of(d_out), view_of(picked), rows_of(*made), engine.parallel);
  return made;
}

Loss cross_entropy(Engine& engine, const Tensor& logits, const Integers& targets,
                   const CrossEntropyOptions& options, Tensor* out) {
  constexpr const char* kCall = "cross_entropy";
  const auto classes = emscripten::convertJSArrayToNumberVector<std::int32_t>(targets);
  const tril::CrossEntropyOptions core{
      .reduction = value_named(kReductions, options.reduction, kCall, "reduction"),
      .ignore = options.ignore,
      .label_smoothing = options.label_smoothing};
  Results results(engine, kCall);
  MatrixView<float> gradient;
  std::optional<Output> output;
  if (options.gradient) {
    output.emplace(engine, out, logits.shape(), kCall);
    gradient = rows_of(**output);
    if (!out) results.add("gradient", output->handle());
  }
  const CrossEntropyResult found = tril::cross_entropy(rows_of(logits), view_of(classes), core,
                                                       gradient, engine.scratch, engine.parallel);
  val loss(results.hand_over());
  loss.set("loss", found.loss);
  loss.set("counted", static_cast<double>(found.counted));
  loss.set("correct", static_cast<double>(found.correct));
  return Loss(loss);
}

Loss mean_squared_error(Engine& engine, const Tensor& x, const Tensor& y,
                        const std::string& reduction, bool gradient) {
  constexpr const char* kCall = "mean_squared_error";
  const Reduction how = value_named(kReductions, reduction, kCall, "reduction");
  check_same_shape(y, x.shape(), kCall, "y", "x");
  Results results(engine, kCall);
  MatrixView<float> d_x;
  if (gradient) d_x = rows_of(results.make("gradient", x.shape()));
  val loss(val::object());
  const double found =
      tril::mean_squared_error(rows_of(x), rows_of(y), how, d_x, engine.scratch, engine.parallel);
  if (gradient) loss = results.hand_over();
  loss.set("loss", found);
  return Loss(loss);
}

}  // namespace tril::js
