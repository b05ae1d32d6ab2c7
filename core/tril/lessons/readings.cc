#include <tril/foundation/check.h>
#include <tril/lessons/readings.h>
#include <tril/matmul/product.h>

namespace tril {
namespace {

constexpr Index kAll = ReadingStep::kAll;

// out[rows, cols] += a[rows, k] * b[k, cols], where kAll stands for a whole axis.
void add_terms(const MatrixView<const float>& a, const MatrixView<const float>& b,
               const ReadingStep& step, const MatrixView<float>& out) {
  const auto begin = [](Index chosen) { return chosen == kAll ? 0 : chosen; };
  const auto end = [](Index chosen, Index size) { return chosen == kAll ? size : chosen + 1; };
  for (Index i = begin(step.row); i < end(step.row, out.size(0)); ++i) {
    for (Index j = begin(step.col); j < end(step.col, out.size(1)); ++j) {
      for (Index k = begin(step.depth); k < end(step.depth, b.size(0)); ++k) {
        out[i][j] += a[i][k] * b[k][j];
      }
    }
  }
}

}  // namespace

Index reading_steps(Reading reading, Index rows, Index cols, Index depth) noexcept {
  switch (reading) {
    case Reading::dot_products:
      return rows * cols;
    case Reading::row_combinations:
      return rows * depth;
    case Reading::column_combinations:
      return cols * depth;
    case Reading::outer_products:
      return depth;
  }
  return 0;
}

void read_product(MatrixView<const float> a, MatrixView<const float> b, Reading reading,
                  MatrixView<float> out, const std::function<void(const ReadingStep&)>& visit) {
  detail::checked_product(a, b, {}, out, "read_product");
  const Index rows = out.size(0), cols = out.size(1), depth = b.size(0);
  const bool by_row = reading == Reading::dot_products || reading == Reading::row_combinations;
  const bool by_col = reading == Reading::dot_products || reading == Reading::column_combinations;
  const bool by_depth = reading != Reading::dot_products;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out[i][j] = 0;
  }
  for (Index i = 0; i < (by_row ? rows : 1); ++i) {
    for (Index j = 0; j < (by_col ? cols : 1); ++j) {
      for (Index k = 0; k < (by_depth ? depth : 1); ++k) {
        const ReadingStep step{by_row ? i : kAll, by_col ? j : kAll, by_depth ? k : kAll};
        add_terms(a, b, step, out);
        visit(step);
      }
    }
  }
}

}  // namespace tril
