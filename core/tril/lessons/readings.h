// Four readings of one product: the same sums, put together in four ways, step by step.
//
//     dot products            out[i, j]  = a[i, :] . b[:, j]           a step for every i, j
//     combinations of rows    out[i, :] += a[i, k] * b[k, :]           a step for every i, k
//     combinations of columns out[:, j] += a[:, k] * b[k, j]           a step for every j, k
//     sum of outer products   out       += a[:, k] * b[k, :]           a step for every k
//
// Every element is added up in the order of k, so all four end in the same bits. For looking at,
// not for speed: that is matmul's part.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <functional>

namespace tril {

// Four ways to see one product.
enum class Reading { dot_products, row_combinations, column_combinations, outer_products };

// Their names.
inline constexpr Named<Reading> kReadings[] = {{"dots", Reading::dot_products},
                                               {"rows", Reading::row_combinations},
                                               {"columns", Reading::column_combinations},
                                               {"outer", Reading::outer_products}};

// What a step has to do with; kAll stands for all of an axis.
struct ReadingStep {
  static constexpr Index kAll = -1;  // every one of an axis
  Index row, col, depth;             // where on the three axes
};

// How many steps the product of [rows, depth] and [depth, cols] has.
Index reading_steps(Reading reading, Index rows, Index cols, Index depth) noexcept;

// a [rows, depth], b [depth, cols], out [rows, cols]. Calls visit after every step, when out holds
// what has been added up so far. Throws Error where shapes do not fit or out shares memory.
void read_product(MatrixView<const float> a, MatrixView<const float> b, Reading reading,
                  MatrixView<float> out, const std::function<void(const ReadingStep&)>& visit);

}  // namespace tril
