// The matrix product out = alpha * op(a) * op(b) (+ out), by a choice of methods.
//
//     op(a) [rows, depth], op(b) [depth, cols], out [rows, cols];  op transposes where asked
//
// All methods but `strassen` compute the same sums in a different order, so results differ by
// roundings only: |error| <= depth * epsilon * (|a| * |b|) element by element (Higham, "Accuracy
// and Stability of Numerical Algorithms", 2002, section 3.5). For `strassen` only the largest
// element is bounded, by a constant that grows with the levels (section 23.2.2).
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The methods, which differ in the order of their operations.
enum class MatmulMethod {
  automatic,  // the fastest known method for the shape
  // The three loops in each order, outermost first, as scalar code.
  ijk,
  ikj,
  jik,
  jki,
  kij,
  kji,
  blocked,   // ikj in blocks for three levels of cache, scalar
  tiled,     // packed panels and a register tile; single rows and columns have their own code
  strassen,  // 7 half-sized products instead of 8 while that is faster; then tiled
  eigen,     // Eigen 3.4 on one thread, with working memory from the heap
};

// Their names.
inline constexpr Named<MatmulMethod> kMatmulMethods[] = {
    {"auto", MatmulMethod::automatic}, {"ijk", MatmulMethod::ijk},
    {"ikj", MatmulMethod::ikj},        {"jik", MatmulMethod::jik},
    {"jki", MatmulMethod::jki},        {"kij", MatmulMethod::kij},
    {"kji", MatmulMethod::kji},        {"blocked", MatmulMethod::blocked},
    {"tiled", MatmulMethod::tiled},    {"strassen", MatmulMethod::strassen},
    {"eigen", MatmulMethod::eigen}};

// Options of a product.
struct MatmulOptions {
  MatmulMethod method = MatmulMethod::automatic;  // the order of operations
  bool transpose_a = false;                       // a is given as [depth, rows]
  bool transpose_b = false;                       // b is given as [cols, depth]
  bool accumulate = false;                        // add to out; else out is not read
  float alpha = 1;                                // the factor of the product
  int levels = -1;  // halvings of `strassen`, at most 2; -1: as many as are faster
};

// Rows may have any stride. NaN and infinities spread as in the sums of the definition; `strassen`
// spreads them further, as it adds and subtracts quarters of the matrices. Throws Error where
// shapes do not fit, alpha is not finite, levels are too many or given to another method, out
// shares memory with an input, or elements of out share memory.
void matmul(MatrixView<const float> a, MatrixView<const float> b, const MatmulOptions& options,
            MatrixView<float> out, const Context& context = {});

// The same into a new buffer.
inline Buffer<float, 2> matmul(MatrixView<const float> a, MatrixView<const float> b,
                               const MatmulOptions& options = {}, const Context& context = {}) {
  return detail::new_buffer(
      Shape<2>{a.size(options.transpose_a ? 1 : 0), b.size(options.transpose_b ? 0 : 1)},
      [&](auto out) { matmul(a, b, options, out, context); });
}

// The signature from before there was a Context.
[[deprecated("hand over {scratch, parallel}")]] inline void matmul(
    MatrixView<const float> a, MatrixView<const float> b, const MatmulOptions& options,
    MatrixView<float> out, Scratch& scratch, Parallel& parallel) {
  matmul(a, b, options, out, {scratch, parallel});
}

// The reference, which computes every product and sum in double and ignores options.method. The
// error of a method is its distance from this.
void matmul_reference(MatrixView<const float> a, MatrixView<const float> b,
                      const MatmulOptions& options, MatrixView<double> out);

}  // namespace tril
