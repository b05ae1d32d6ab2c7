// Linear maps, embeddings and their gradients, and sinusoidal positions.
#include <emscripten/bind.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>
#include <tril/layers/positions.h>

#include <cstdint>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

// x [..., in], weight [out, in], bias [out] or null; gives [..., out].
TensorHandle linear(Engine& engine, const Tensor& x, const Tensor& weight, const Tensor* bias,
                    Tensor* out) {
  const Weight w = weight_of(weight, "linear", "weight");
  const VectorView<const float> b = optional_vector(bias, "linear", "bias");
  const Output output(engine, out, with_width(x.shape(), w.size(0)), "linear");
  tril::linear(rows_of(x), w, b, rows_of(*output), engine.context);
  return output.handle();
}

// Gives dX, dWeight and dBias.
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
  tril::linear_backward(rows_of(d_out), rows_of(x), w, gradients, engine.context);
  return results.hand_over();
}

// ids of shape `ids_shape`, table [V, C]; gives [..., C].
TensorHandle embedding(Engine& engine, const Integers& ids, const Numbers& ids_shape,
                       const Tensor& table, Tensor* out) {
  const auto rows = emscripten::convertJSArrayToNumberVector<std::int32_t>(ids);
  const MatrixView<const float> vectors = matrix(table, "embedding", "table");
  DynamicShape shape = shape_from(ids_shape);
  shape.push_back(vectors.size(1));
  const Output output(engine, out, shape, "embedding");
  tril::embedding(view_of(rows), vectors, rows_of(*output));
  return output.handle();
}

// Gives the gradient of the table, [rows, C].
TensorHandle embedding_backward(Engine& engine, const Tensor& d_out, const Integers& ids,
                                const Numbers& ids_shape, int rows) {
  constexpr const char* kCall = "embedding_backward";
  const auto picked = emscripten::convertJSArrayToNumberVector<std::int32_t>(ids);
  DynamicShape shape = shape_from(ids_shape);
  shape.push_back(d_out.size(-1));
  check_same_shape(d_out, shape, kCall, "d_out", "the ids and a width");
  const TensorHandle made =
      std::make_shared<Tensor>(engine, DynamicShape{rows, d_out.size(-1)}, kCall);
  tril::embedding_backward(rows_of(d_out), view_of(picked), rows_of(*made), engine.context);
  return made;
}

// Gives [length, width].
TensorHandle sinusoidal_positions(Engine& engine, int length, int width,
                                  const SinusoidalOptions& options, Tensor* out) {
  const Output output(engine, out, {length, width}, "sinusoidal_positions");
  tril::sinusoidal_positions(options, rows_of(*output));
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_layers) {
  using namespace emscripten;
  value_object<SinusoidalOptions>("_SinusoidalOptions")
      .field("wavelength", &SinusoidalOptions::wavelength)
      .field("ratio", &SinusoidalOptions::ratio);
  function("_linear", guard<&linear>, allow_raw_pointers());
  function("_linearBackward", guard<&linear_backward>);
  function("_embedding", guard<&embedding>, allow_raw_pointers());
  function("_embeddingBackward", guard<&embedding_backward>);
  function("_sinusoidalPositions", guard<&sinusoidal_positions>, allow_raw_pointers());
}

}  // namespace tril::js
