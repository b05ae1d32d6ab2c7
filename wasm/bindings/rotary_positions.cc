#include "rotary_positions.h"

#include <emscripten/bind.h>
#include <tril/layers/rotary_positions.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "guard.h"
#include "layouts.h"
#include "output.h"

namespace tril::js {

namespace {

constexpr const char* kRotary = "rotary_positions";

// Tables [B, T, R / 2]; with a batch stride of 0 all batches share one.
struct RotaryTables {
  TensorView<const float, 3> cos, sin;
};

// One table per batch; a table of T rows is shared by all batches.
TensorView<const float, 3> table_view(const float* data, Index rows, Index pairs, Index batches,
                                      Index tokens) {
  return {data, {batches, tokens, pairs}, {rows == tokens ? 0 : tokens * pairs, pairs, 1}};
}

// The rows of a table at `positions`.
MatrixView<const float> picked_rows(const Tensor& table, std::span<const std::int32_t> positions,
                                    const char* name, Scratch::Frame& frame) {
  const MatrixView<const float> rows = matrix(table, kRotary, name);
  const auto count = static_cast<Index>(positions.size());
  const MatrixView<float> picked(frame.take<float>(count, rows.size(1)), {count, rows.size(1)});
  for (Index n = 0; n < count; ++n) {
    const std::int32_t position = positions[static_cast<std::size_t>(n)];
    if (position < 0 || position >= rows.size(0)) {
      fail(kRotary, "positions", {position, " is not a row of ", name, ", which is ", table});
    }
    std::copy_n(rows[position].data(), rows.size(1), picked[n].data());
  }
  return picked;
}

// The caller's tables, at the positions, or row by row for each token.
RotaryTables given_tables(const Tensor& cos, const Tensor& sin,
                          std::span<const std::int32_t> positions,
                          const TensorView<const float, 4>& x, Scratch::Frame& frame) {
  if (cos.shape() != sin.shape()) {
    fail(kRotary, "sin", {"must have the shape of cos, ", cos, ", is ", sin});
  }
  const Index batches = x.size(0), tokens = x.size(2), pairs = cos.size(-1);
  if (!positions.empty()) {
    const auto count = static_cast<Index>(positions.size());
    return {
        table_view(picked_rows(cos, positions, "cos", frame).data(), count, pairs, batches, tokens),
        table_view(picked_rows(sin, positions, "sin", frame).data(), count, pairs, batches,
                   tokens)};
  }
  const bool shared = cos.rank() == 2 && cos.size(0) == tokens;
  if (!shared && cos.shape() != DynamicShape{batches, tokens, pairs}) {
    fail(kRotary, "cos",
         {"must be [T, R / 2] or [B, T, R / 2] with ", tokens,
          " tokens, or come with positions; shape is ", cos});
  }
  const Index rows = shared ? tokens : batches * tokens;
  return {table_view(cos.data(), rows, pairs, batches, tokens),
          table_view(sin.data(), rows, pairs, batches, tokens)};
}

// Computed tables, one row per position.
RotaryTables computed_tables(const std::vector<std::int32_t>& positions, double base, Index pairs,
                             const TensorView<const float, 4>& x, Scratch::Frame& frame) {
  const auto count = static_cast<Index>(positions.size());
  const MatrixView<float> cos(frame.take<float>(count, pairs), {count, pairs});
  const MatrixView<float> sin(frame.take<float>(count, pairs), {count, pairs});
  rotary_angles(view_of(positions), base, cos, sin);
  return {table_view(cos.data(), count, pairs, x.size(0), x.size(2)),
          table_view(sin.data(), count, pairs, x.size(0), x.size(2))};
}

}  // namespace

TensorHandle rotated(Engine& engine, const char* argument, decltype(&tril::rotary_positions) turn,
                     const Tensor& x, const Integers& positions, const Tensor* cos,
                     const Tensor* sin, const RotaryOptions& options, Tensor* out) {
  const HeadLayout layout(x, options.heads, kRotary, argument);
  const auto from = layout.view(x, options.heads, kRotary, argument);
  const RotaryPairs pairs = value_named(kRotaryPairs, options.pairs, kRotary, "pairs");
  auto places = emscripten::convertJSArrayToNumberVector<std::int32_t>(positions);
  const Index count = static_cast<Index>(places.size()), tokens = from.size(2);
  if (count > 0 && count != tokens && count != from.size(0) * tokens) {
    fail(kRotary, "positions",
         {count, " positions for ", x, "; one a token, or one a token of each batch"});
  }
  const Index table_width = cos ? 2 * cos->size(-1) : from.size(3);
  const Index width = options.width == 0 ? table_width : options.width;
  if (width % 2 != 0 || width > from.size(3)) {
    fail(kRotary, "width",
         {"must be even and at most ", from.size(3), ", the width of a head, is ", width});
  }
  if (cos && width != table_width) {
    fail(kRotary, "width",
         {"must be that of the tables, two for each column of cos, is ", width, "; cos is ", *cos});
  }
  const Output output(engine, out, x.shape(), kRotary);
  Scratch::Frame frame(engine.scratch);
  if (!cos && places.empty()) {
    for (Index t = 0; t < tokens; ++t) places.push_back(static_cast<std::int32_t>(t));
  }
  const RotaryTables tables = cos ? given_tables(*cos, *sin, places, from, frame)
                                  : computed_tables(places, options.base, width / 2, from, frame);
  turn(from, tables.cos, tables.sin, pairs, layout.view(*output, options.heads, kRotary, "out"),
       engine.context);
  return output.handle();
}

namespace {

TensorHandle rotary_positions(Engine& engine, const Tensor& x, const Integers& positions,
                              const Tensor* cos, const Tensor* sin, const RotaryOptions& options,
                              Tensor* out) {
  return rotated(engine, "x", tril::rotary_positions, x, positions, cos, sin, options, out);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_rotary_positions) {
  using namespace emscripten;
  value_object<RotaryOptions>("_RotaryOptions")
      .field("base", &RotaryOptions::base)
      .field("pairs", &RotaryOptions::pairs)
      .field("width", &RotaryOptions::width)
      .field("heads", &RotaryOptions::heads);
  function("_rotaryPositions", guard<&rotary_positions>, allow_raw_pointers());
}

}  // namespace tril::js
