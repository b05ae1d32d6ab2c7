// The matrix product out = alpha * op(a) * op(b) (+ out), by the method asked for.
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

// In which order the sums are taken.
enum class MatmulMethod {
  automatic,  // the fastest that is known for the shape
  // The three loops in all their orders, outermost first: plain scalar code.
  ijk,
  ikj,
  jik,
  jki,
  kij,
  kji,
  blocked,   // ikj in blocks for three levels of cache, scalar
  tiled,     // packed panels and a register tile; one row or column goes by its own path
  strassen,  // 7 half-sized products in place of 8, while that pays; then tiled
  eigen,     // Eigen 3.4, one thread, which takes its working memory from the heap
};

// Their names.
inline constexpr Named<MatmulMethod> kMatmulMethods[] = {
    {"auto", MatmulMethod::automatic}, {"ijk", MatmulMethod::ijk},
    {"ikj", MatmulMethod::ikj},        {"jik", MatmulMethod::jik},
    {"jki", MatmulMethod::jki},        {"kij", MatmulMethod::kij},
    {"kji", MatmulMethod::kji},        {"blocked", MatmulMethod::blocked},
    {"tiled", MatmulMethod::tiled},    {"strassen", MatmulMethod::strassen},
    {"eigen", MatmulMethod::eigen}};

// op(a), op(b), and what becomes of out.
struct MatmulOptions {
  MatmulMethod method = MatmulMethod::automatic;  // the same sums in another order
  bool transpose_a = false;                       // a is given as [depth, rows]
  bool transpose_b = false;                       // b is given as [cols, depth]
  bool accumulate = false;                        // add to what out holds; else out is never read
  float alpha = 1;                                // what the product is multiplied by
  int levels = -1;  // how often `strassen` halves, at most 2; -1: as often as pays
};

// Rows may lie any distance apart. NaN and infinities go where arithmetic takes them; by `strassen`
// further, since it adds and subtracts quarters of the matrices. Throws Error where shapes do not
// fit, alpha is not finite, levels are given to another method or are too many, or out shares
// memory with an input or with itself.
void matmul(MatrixView<const float> a, MatrixView<const float> b, const MatmulOptions& options,
            MatrixView<float> out, const Context& context = {});

// The same into a new buffer.
inline Buffer<float, 2> matmul(MatrixView<const float> a, MatrixView<const float> b,
                               const MatmulOptions& options = {}, const Context& context = {}) {
  return detail::new_buffer(
      Shape<2>{a.size(options.transpose_a ? 1 : 0), b.size(options.transpose_b ? 0 : 1)},
      [&](auto out) { matmul(a, b, options, out, context); });
}

// As it was called before there was a Context.
[[deprecated("hand over {scratch, parallel}")]] inline void matmul(
    MatrixView<const float> a, MatrixView<const float> b, const MatmulOptions& options,
    MatrixView<float> out, Scratch& scratch, Parallel& parallel) {
  matmul(a, b, options, out, {scratch, parallel});
}

// The oracle: every product and sum in double, rounded nowhere else; options.method is not looked
// at. The error that a method makes is its distance from this.
void matmul_reference(MatrixView<const float> a, MatrixView<const float> b,
                      const MatmulOptions& options, MatrixView<double> out);

}  // namespace tril
