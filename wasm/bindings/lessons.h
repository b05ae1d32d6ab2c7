// Calls that take a computation apart, for explaining it: every step, every access to memory, every
// sum on the way. What they compute is the core's; here it is only collected.
#pragma once

#include <string>

#include "tensor.h"

namespace tril::js {

// { output [rows, cols], partial [steps, rows, cols] }: the product as one reading puts it
// together, "dots", "rows", "columns" or "outer", with what has been added up after every step.
NamedTensors read_product(Engine& engine, const Tensor& a, const Tensor& b,
                          const std::string& reading);

struct CacheOptions {
  std::string method;
  int block;       // edge of the blocks of `blocked`
  int line_bytes;  // the cache: bytes a line, lines a set, sets
  int ways;
  int sets;
};

EMSCRIPTEN_DECLARE_VAL_TYPE(AccessTrace)  // as types.d.ts declares it

// What a loop order does to memory and to a small cache, access by access. a, b and out lie one
// after the other, each beginning with a line.
AccessTrace trace_product(Engine& engine, const Tensor& a, const Tensor& b,
                          const CacheOptions& options);

// The misses of a square product counted on paper, for one fully associative set; -1 where the
// counting does not hold.
double expected_misses(int n, const CacheOptions& options);

// { output, left, right, products }: one level of Strassen's product.
NamedTensors strassen_level(Engine& engine, const Tensor& a, const Tensor& b);
// [7, 12]: for each product the signs of A's quarters, of B's, and of out's.
Integers strassen_signs();

// { error [rows, cols], largest [1], rms [1] }: a method's distance from the product in double.
// `levels` is how often Strassen halves, -1 for as often as pays; other methods have none.
NamedTensors product_error(Engine& engine, const Tensor& a, const Tensor& b,
                           const std::string& method, int levels);

// Floating-point operations done by `rounds` rounds in registers only.
double run_peak(double rounds);

struct RunningAverageOptions {
  std::string method;
  bool sum;
  double hidden;
};

// { output }, and { mask, weights } but by loops: the average of x [B, T, C] up to every moment.
NamedTensors running_average(Engine& engine, const Tensor& x, const RunningAverageOptions& options);

}  // namespace tril::js
