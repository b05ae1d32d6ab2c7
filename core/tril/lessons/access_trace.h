// What a loop order does to memory: every read and write of a product, in order, with addresses.
//
// The methods run as they are (loop_orders.h), only on a memory that tells. A value that a method
// keeps in a variable, such as the sum of a dot product, is no access.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>

#include <cstdint>
#include <functional>

namespace tril {

// Which of the three matrices of a product.
enum class MatrixName { a, b, out };

// One element, read or written.
struct MatrixAccess {
  MatrixName matrix;      // whose
  bool write;             // else read
  Index row, col;         // in op(a), op(b), out
  std::uint64_t address;  // in bytes
};

// Where the matrices lie, and how large blocks are.
struct AccessTraceOptions {
  // Where the matrices begin, in bytes. Addresses count from here and not from where the views
  // happen to lie, so that a trace is the same in every run.
  std::uint64_t a = 0, b = 0, out = 0;
  // The edge of the blocks of `blocked`, one level of them; 0 stands for the three real ones.
  Index block = 0;
};

// Computes out as matmul does with one of the six orders or `blocked`, and calls visit for each
// access. Throws Error as matmul does, and for any other method.
void trace_matmul(MatrixView<const float> a, MatrixView<const float> b,
                  const MatmulOptions& options, const AccessTraceOptions& trace,
                  MatrixView<float> out, const std::function<void(const MatrixAccess&)>& visit);

}  // namespace tril
