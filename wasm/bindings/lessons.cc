// Calls that take a computation apart to explain it: every step, every access to memory, every
// intermediate sum. The core computes all of it; these functions collect it.
#include <emscripten/bind.h>
#include <tril/lessons/access_trace.h>
#include <tril/lessons/cache_model.h>
#include <tril/lessons/expected_misses.h>
#include <tril/lessons/peak.h>
#include <tril/lessons/readings.h>
#include <tril/lessons/singular_values.h>
#include <tril/lessons/strassen_level.h>
#include <tril/matmul/strassen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "guard.h"
#include "matmul.h"
#include "output.h"

namespace tril::js {

namespace {

struct CacheOptions {
  std::string method;
  int block;       // edge of the blocks of `blocked`
  int line_bytes;  // the cache: bytes a line, lines a set, sets
  int ways;
  int sets;
};

EMSCRIPTEN_DECLARE_VAL_TYPE(AccessTrace)  // declared in types.d.ts

using emscripten::val;

MatrixView<float> as_matrix(Tensor& tensor) {
  return {tensor.data(), {tensor.size(0), tensor.size(1)}};
}
TensorView<float, 3> as_stack(Tensor& tensor) {
  return {tensor.data(), {tensor.size(0), tensor.size(1), tensor.size(2)}};
}

// The shape of the product, [rows, cols]. Throws Error where a and b do not fit.
DynamicShape product_shape(MatrixView<const float> a, MatrixView<const float> b, const char* call) {
  check_view(a, call, "a");
  check_view(b, call, "b");
  if (a.size(1) != b.size(0)) {
    fail(
        call, "b",
        {"depth ", b.size(0), " does not match a's depth ", a.size(1), "; a is ", a, ", b is ", b});
  }
  return {a.size(0), b.size(1)};
}

// A copy that outlives the vector and any growth of memory.
Integers integers(const std::vector<std::int32_t>& values) {
  const val view(emscripten::typed_memory_view(values.size(), values.data()));
  return Integers(view.call<val>("slice"));
}

// The maximum size of a trace, in numbers.
constexpr Index kMostTraced = Index{1} << 24;

// A log of all accesses and their effects, in flat arrays.
struct AccessLog {
  std::vector<std::int32_t> accesses, lines, misses, totals;
  std::int32_t missed[3] = {};

  void add(const MatrixAccess& access, CacheModel& cache) {
    const CacheShape& shape = cache.shape();
    const bool hit = cache.access(access.address);
    const auto matrix = static_cast<std::size_t>(access.matrix);
    missed[matrix] += hit ? 0 : 1;
    for (const Index number :
         {static_cast<Index>(matrix), Index{access.write}, access.row, access.col, Index{hit}}) {
      accesses.push_back(static_cast<std::int32_t>(number));
    }
    for (Index set = 0; set < shape.sets; ++set) {
      for (Index way = 0; way < shape.ways; ++way) {
        const std::uint64_t line = cache.line(set, way);
        lines.push_back(line == CacheModel::kEmpty ? -1 : static_cast<std::int32_t>(line));
      }
    }
    misses.insert(misses.end(), missed, missed + 3);
    for (const std::uint64_t count : {cache.hits(), cache.misses()}) {
      totals.push_back(static_cast<std::int32_t>(count));
    }
  }
};

// { output [rows, cols], partial [steps, rows, cols] }: the product as one of four readings
// assembles it, "dots", "rows", "columns" or "outer", and the partial result after every step.
NamedTensors read_product(Engine& engine, const Tensor& a, const Tensor& b,
                          const std::string& reading) {
  constexpr const char* kCall = "read_product";
  const MatrixView<const float> left = matrix(a, kCall, "a"), right = matrix(b, kCall, "b");
  const Reading chosen = value_named(kReadings, reading, kCall, "reading");
  const DynamicShape shape = product_shape(left, right, kCall);
  const Index steps = reading_steps(chosen, shape[0], shape[1], left.size(1));
  Results results(engine, kCall);
  Tensor& output = results.make("output", shape);
  Tensor& partial = results.make("partial", {steps, shape[0], shape[1]});
  float* next = partial.data();
  tril::read_product(left, right, chosen, as_matrix(output), [&](const ReadingStep&) {
    next = std::copy_n(output.data(), output.count(), next);
  });
  return results.hand_over();
}

// The accesses of a loop order to memory and to a small cache. a, b and out follow one another,
// each at the beginning of a cache line.
AccessTrace trace_product(Engine& engine, const Tensor& a, const Tensor& b,
                          const CacheOptions& options) {
  constexpr const char* kCall = "trace_product";
  const MatrixView<const float> left = matrix(a, kCall, "a"), right = matrix(b, kCall, "b");
  const tril::MatmulOptions core_options{
      .method = value_named(kMatmulMethods, options.method, kCall, "method")};
  CacheModel cache({.line_bytes = options.line_bytes, .ways = options.ways, .sets = options.sets});
  const DynamicShape shape = product_shape(left, right, kCall);
  // At most two reads and a write per term, one more read per turn, and zeroing out.
  const double accesses = tril::detail::times(4, shape[0], shape[1], left.size(1));
  if (accesses * (tril::detail::times(options.ways, options.sets) + 8) > kMostTraced) {
    fail(kCall, "b", {"too large to trace; a is ", a, ", b is ", b});
  }
  const auto whole_lines = [&](Index count) {
    const auto line = static_cast<std::uint64_t>(options.line_bytes);
    return (static_cast<std::uint64_t>(count) * sizeof(float) + line - 1) / line * line;
  };
  const std::uint64_t second = whole_lines(a.count()), third = second + whole_lines(b.count());
  Results results(engine, kCall);
  Tensor& output = results.make("output", shape);
  AccessLog log;
  trace_matmul(left, right, core_options,
               {.a = 0, .b = second, .out = third, .block = options.block}, as_matrix(output),
               [&](const MatrixAccess& access) { log.add(access, cache); });
  val trace(results.hand_over());
  trace.set("accesses", integers(log.accesses));
  trace.set("lines", integers(log.lines));
  trace.set("misses", integers(log.misses));
  trace.set("totals", integers(log.totals));
  return AccessTrace(trace);
}

// The misses of a square product by formula, for one fully associative set; -1 where the formula
// does not hold.
double expected_misses(int n, const CacheOptions& options) {
  constexpr const char* kCall = "expected_misses";
  const MatmulMethod method = value_named(kMatmulMethods, options.method, kCall, "method");
  if (options.sets != 1) return -1;
  const auto floats = options.line_bytes / static_cast<Index>(sizeof(float));
  const auto misses = tril::expected_misses(
      method, n, {.line_floats = floats, .lines = options.ways, .block = options.block});
  return misses ? static_cast<double>(*misses) : -1;
}

// { output, left, right, products }: one level of Strassen's product.
NamedTensors strassen_level(Engine& engine, const Tensor& a, const Tensor& b) {
  constexpr const char* kCall = "strassen_level";
  const MatrixView<const float> left = matrix(a, kCall, "a"), right = matrix(b, kCall, "b");
  const DynamicShape shape = product_shape(left, right, kCall);
  const Index rows = shape[0], cols = shape[1], depth = left.size(1);
  if (rows % 2 != 0 || cols % 2 != 0 || depth % 2 != 0) {
    fail(kCall, "b", {"every axis must be even; a is ", a, ", b is ", b});
  }
  Results results(engine, kCall);
  Tensor& output = results.make("output", shape);
  const StrassenLevelTrace trace{
      .left = as_stack(results.make("left", {7, rows / 2, depth / 2})),
      .right = as_stack(results.make("right", {7, depth / 2, cols / 2})),
      .products = as_stack(results.make("products", {7, rows / 2, cols / 2}))};
  tril::strassen_level(left, right, as_matrix(output), trace);
  return results.hand_over();
}

// Gives [7, 12]: for each product the signs of the quarters of A, B and out.
Integers strassen_signs() {
  std::vector<std::int32_t> signs;
  for (const StrassenProduct& product : kStrassenProducts) {
    for (const auto& part : {product.a, product.b, product.out}) {
      signs.insert(signs.end(), part.begin(), part.end());
    }
  }
  return integers(signs);
}

// { error [rows, cols], largest [1], rms [1] }: a method's distance from the product in double.
// `levels` is the number of Strassen's levels, -1 for the fastest number; other methods have none.
NamedTensors product_error(Engine& engine, const Tensor& a, const Tensor& b,
                           const std::string& method, int levels) {
  constexpr const char* kCall = "product_error";
  const MatrixView<const float> left = matrix(a, kCall, "a"), right = matrix(b, kCall, "b");
  const tril::MatmulOptions core_options{
      .method = value_named(kMatmulMethods, method, kCall, "method"), .levels = levels};
  const DynamicShape shape = product_shape(left, right, kCall);
  tril::detail::check_levels(core_options.method, levels, kCall);
  Results results(engine, kCall);
  Tensor& error = results.make("error", shape);
  Tensor& largest = results.make("largest", {1});
  Tensor& rms = results.make("rms", {1});
  Buffer<double, 2> reference({shape[0], shape[1]});
  matmul_reference(left, right, {}, reference);
  const MatrixView<float> out = as_matrix(error);
  tril::matmul(left, right, core_options, out, engine.context);
  double most = 0, squares = 0;
  for (Index i = 0; i < error.count(); ++i) {
    const double distance = static_cast<double>(error.data()[i]) - reference.data()[i];
    most = std::max(most, std::fabs(distance));
    squares += distance * distance;
    error.data()[i] = static_cast<float>(distance);
  }
  largest.data()[0] = static_cast<float>(most);
  rms.data()[0] = static_cast<float>(std::sqrt(squares / static_cast<double>(error.count())));
  return results.hand_over();
}

// Gives the number of floating-point operations in `rounds` rounds on registers.
double run_peak(double rounds) { return tril::run_peak(static_cast<Index>(rounds)); }

// x [rows, cols]; gives [min(rows, cols)].
TensorHandle singular_values(Engine& engine, const Tensor& x, Tensor* out) {
  constexpr const char* kCall = "singular_values";
  const MatrixView<const float> values = matrix(x, kCall, "x");
  const Output output(engine, out, {std::min(values.size(0), values.size(1))}, kCall);
  tril::singular_values(values, {output->data(), {output->count()}});
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_lessons) {
  using namespace emscripten;
  register_type<AccessTrace>(
      "{ output: _Tensor; accesses: Int32Array; lines: Int32Array; misses: Int32Array; totals: "
      "Int32Array }");

  function("_readProduct", guard<&read_product>, allow_raw_pointers());

  value_object<CacheOptions>("_CacheOptions")
      .field("method", &CacheOptions::method)
      .field("block", &CacheOptions::block)
      .field("lineBytes", &CacheOptions::line_bytes)
      .field("ways", &CacheOptions::ways)
      .field("sets", &CacheOptions::sets);
  function("_traceProduct", guard<&trace_product>, allow_raw_pointers());
  function("_expectedMisses", guard<&expected_misses>);
  function("_strassenLevel", guard<&strassen_level>, allow_raw_pointers());
  function("_strassenSigns", guard<&strassen_signs>);
  function("_productError", guard<&product_error>, allow_raw_pointers());
  function("_runPeak", guard<&run_peak>);
  function("_singularValues", guard<&singular_values>, allow_raw_pointers());
}

}  // namespace tril::js
