#include "layers.h"

#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>

#include <cstdint>

#include "output.h"

namespace tril::js {

namespace {

// `shape` with another last axis.
DynamicShape with_width(DynamicShape shape, Index width) {
  shape.back() = width;
  return shape;
}

}  // namespace

TensorHandle linear(Engine& engine, const Tensor& x, const Tensor& weight, const Tensor* bias,
                    Tensor* out) {
  const MatrixView<const float> w = matrix(weight, "linear", "weight");
  const VectorView<const float> b = optional_vector(bias, "linear", "bias");
  const Output output(engine, out, with_width(x.shape(), w.size(0)), "linear");
  tril::linear(rows_of(x), w, b, rows_of(*output), engine.scratch, engine.parallel);
  return output.handle();
}

TensorHandle embedding(Engine& engine, const Integers& ids, const Numbers& ids_shape,
                       const Tensor& table, Tensor* out) {
  const auto rows = emscripten::convertJSArrayToNumberVector<std::int32_t>(ids);
  const MatrixView<const float> vectors = matrix(table, "embedding", "table");
  DynamicShape shape = shape_from(ids_shape);
  shape.push_back(vectors.size(1));
  const Output output(engine, out, shape, "embedding");
  tril::embedding({rows.data(), {static_cast<Index>(rows.size())}}, vectors, rows_of(*output));
  return output.handle();
}

TensorHandle sinusoidal_positions(Engine& engine, int length, int width,
                                  const SinusoidalOptions& options, Tensor* out) {
  const Output output(engine, out, {length, width}, "sinusoidal_positions");
  tril::sinusoidal_positions(options, rows_of(*output));
  return output.handle();
}

}  // namespace tril::js
