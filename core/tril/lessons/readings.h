// Four readings of a product: the same sums, computed step by step in four ways.
//
//     dot products            out[i, j]  = a[i, :] . b[:, j]           a step for every i, j
//     combinations of rows    out[i, :] += a[i, k] * b[k, :]           a step for every i, k
//     combinations of columns out[:, j] += a[:, k] * b[k, j]           a step for every j, k
//     sum of outer products   out       += a[:, k] * b[k, :]           a step for every k
//
// Every element is summed in the order of k, so all four give the same bits. They are for teaching;
// matmul is the fast one.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <functional>

namespace tril {

// The four readings.
enum class Reading { dot_products, row_combinations, column_combinations, outer_products };

// Their names.
inline constexpr Named<Reading> kReadings[] = {{"dots", Reading::dot_products},
                                               {"rows", Reading::row_combinations},
                                               {"columns", Reading::column_combinations},
                                               {"outer", Reading::outer_products}};

// The indices of a step; kAll means a whole axis.
struct ReadingStep {
  static constexpr Index kAll = -1;  // all indices of an axis
  Index row, col, depth;             // indices on the three axes
};

// The number of steps of the product of [rows, depth] and [depth, cols].
Index reading_steps(Reading reading, Index rows, Index cols, Index depth) noexcept;

// a [rows, depth], b [depth, cols], out [rows, cols]. Calls visit after every step, when out holds
// the sums so far. Throws Error where shapes do not fit or out shares memory.
void read_product(MatrixView<const float> a, MatrixView<const float> b, Reading reading,
                  MatrixView<float> out, const std::function<void(const ReadingStep&)>& visit);

}  // namespace tril
