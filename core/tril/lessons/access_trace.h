// The memory accesses of a loop order: every read and write of a product, in order, with its
// address.
//
// It runs the methods of loop_orders.h on a memory that records. A value in a variable, such as the
// sum of a dot product, is not an access.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>

#include <cstdint>
#include <functional>

namespace tril {

// The three matrices of a product.
enum class MatrixName { a, b, out };

// A read or a write of an element.
struct MatrixAccess {
  MatrixName matrix;      // the matrix
  bool write;             // whether it is a write
  Index row, col;         // in op(a), op(b), out
  std::uint64_t address;  // in bytes
};

// The addresses of the matrices, and the size of blocks.
struct AccessTraceOptions {
  // The addresses of the matrices, in bytes. They replace those of the views, so that a trace is
  // the same in every run.
  std::uint64_t a = 0, b = 0, out = 0;
  // The edge of the blocks of `blocked`, with one level; 0: the three levels that matmul uses.
  Index block = 0;
};

// Computes out as matmul does by one of the six orders or `blocked`, and calls visit for each
// access. Throws Error as matmul does, and for any other method.
void trace_matmul(MatrixView<const float> a, MatrixView<const float> b,
                  const MatmulOptions& options, const AccessTraceOptions& trace,
                  MatrixView<float> out, const std::function<void(const MatrixAccess&)>& visit);

}  // namespace tril
