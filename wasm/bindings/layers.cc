#include "layers.h"

#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>
#include <tril/layers/rotary_positions.h>

#include <cstdint>
#include <string>

#include "heads.h"
#include "output.h"

namespace tril::js {

TensorHandle linear(Engine& engine, const Tensor& x, const Tensor& weight, const Tensor* bias,
                    Tensor* out) {
  const MatrixView<const float> w = matrix(weight, "linear", "weight");
  const VectorView<const float> b = optional_vector(bias, "linear", "bias");
  const Output output(engine, out, with_width(x.shape(), w.size(0)), "linear");
  tril::linear(rows_of(x), w, b, rows_of(*output), engine.scratch, engine.parallel,
               packed_columns(&engine.prepared, w));
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

// The angles are computed once a position; a table for all batches is one whose batch stride is 0.
TensorHandle rotary_positions(Engine& engine, const Tensor& x, const Integers& positions,
                              const RotaryOptions& options, Tensor* out) {
  constexpr std::string_view kCall = "rotary_positions";
  const HeadLayout layout(x, 0, kCall, "x");
  const auto from = layout.view(x, 0, kCall, "x");
  const Index batches = from.size(0), tokens = from.size(2);
  const auto places = emscripten::convertJSArrayToNumberVector<std::int32_t>(positions);
  const Index count = static_cast<Index>(places.size());
  if (count != tokens && count != batches * tokens) {
    fail(kCall, "positions",
         std::to_string(count) + " positions for x, which is " + shape_text(x) +
             "; one a token, or one a token of each batch");
  }
  const Index width = options.width == 0 ? from.size(3) : options.width;
  if (width % 2 != 0 || width > from.size(3)) {
    fail(kCall, "width",
         "must be even and at most the width of a head, is " + std::to_string(width) + "; x is " +
             shape_text(x));
  }
  const Output output(engine, out, x.shape(), kCall);
  Scratch::Frame frame(engine.scratch);
  const Index pairs = width / 2;
  const MatrixView<float> cosine(frame.take<float>(count, pairs), {count, pairs});
  const MatrixView<float> sine(frame.take<float>(count, pairs), {count, pairs});
  rotary_angles({places.data(), {count}}, options.base, cosine, sine);
  const Index batch_stride = count == tokens ? 0 : tokens * pairs;
  const auto table = [&](const MatrixView<float>& of) {
    return TensorView<const float, 3>(of.data(), {batches, tokens, pairs},
                                      {batch_stride, pairs, 1});
  };
  tril::rotary_positions(from, table(cosine), table(sine),
                         options.interleaved ? RotaryPairs::interleaved : RotaryPairs::halves,
                         layout.view(*output, 0, kCall, "out"), engine.parallel);
  return output.handle();
}

}  // namespace tril::js
