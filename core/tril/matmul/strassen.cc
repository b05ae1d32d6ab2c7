#include <tril/foundation/check.h>
#include <tril/matmul/strassen.h>
#include <tril/matmul/tiled.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace tril {
namespace detail {
namespace {

// The block sizes of an innermost product. A block of B is wide, so that sums of A's quarters are
// seldom computed: 2 or 4 MiB of level 3, packed kSumCols columns at a time from a sum of 256 or
// 512 KiB. A's sum is 240 KiB of level 2.
constexpr Index kColBlock = 1024, kSumCols = 128;

struct Blocks {
  Index rows, depth;

  // A panel of 16 columns, 512 deep, is 32 KiB of level 1. A panel of 64 columns comes from level 2
  // at any depth, as fast; so with AVX-512 blocks are twice as deep, out's blocks are passed over
  // half as often, and the product of 2048 * 2048 matrices takes 6 % less time.
  explicit Blocks(const TileKernels& kernels) noexcept
      : rows(kernels.panel_cols > 16 ? 60 : 120), depth(kernels.panel_cols > 16 ? 1024 : 512) {}

  Index sum_of_a() const noexcept { return rows * depth; }
  Index transposed_a() const noexcept { return rows * transposed_stride(depth); }
  Index workspace() const noexcept {
    return sum_of_a() + transposed_a() + depth * (kSumCols + kColBlock);
  }
};

// Maximum number of blocks in a sum, for the maximum number of levels.
constexpr int kMostTerms = 1 << kMostStrassenLevels;

// A sum of blocks of one matrix: each block by its position in the matrix's grid of 2^levels *
// 2^levels blocks, and a factor of 1 or -1.
struct Terms {
  struct Term {
    Index row, col;  // of the block, counted in blocks
    float factor;
    bool first;  // of a block of out: no earlier product has been added to it
  };
  std::array<Term, kMostTerms> terms;
  int count = 0;
};

// Whether product `number` is the first to be added to this quarter of out.
bool is_first(std::size_t number, std::size_t quarter) noexcept {
  for (std::size_t earlier = 0; earlier < number; ++earlier) {
    if (kStrassenProducts[earlier].out[quarter] != 0) return false;
  }
  return true;
}

// The blocks of one matrix in one product of the innermost level, which `numbers` gives level by
// level, the outermost first. The factor of a block is the product of its factors at all levels.
Terms terms_of(std::array<int, 4> StrassenProduct::*matrix,
               const std::array<std::size_t, kMostStrassenLevels>& numbers, int levels) noexcept {
  Terms sum;
  sum.terms[0] = {0, 0, 1.0f, true};
  sum.count = 1;
  for (int level = 0; level < levels; ++level) {
    const std::size_t number = numbers[static_cast<std::size_t>(level)];
    const std::array<int, 4>& factors = kStrassenProducts[number].*matrix;
    Terms finer;
    for (int t = 0; t < sum.count; ++t) {
      const Terms::Term& outer = sum.terms[static_cast<std::size_t>(t)];
      for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        if (factors[quarter] == 0) continue;
        finer.terms[static_cast<std::size_t>(finer.count++)] = {
            2 * outer.row + static_cast<Index>(quarter / 2),
            2 * outer.col + static_cast<Index>(quarter % 2),
            outer.factor * static_cast<float>(factors[quarter]),
            outer.first && is_first(number, quarter)};
      }
    }
    sum = finer;
  }
  return sum;
}

// The working memory of a thread.
struct Workspace {
  float *a, *transposed, *b, *panels;

  Workspace(float* memory, const Blocks& blocks) noexcept
      : a(memory),
        transposed(a + blocks.sum_of_a()),
        b(transposed + blocks.transposed_a()),
        panels(b + blocks.depth * kSumCols) {}
};

// One of the innermost products: out's blocks += a's sum [rows, depth] * b's sum [depth, cols].
struct BlockProduct {
  const Product& whole;
  Index rows, cols, depth;  // of a block
  Terms a, b, out;
};

// The part [rows, cols] from (row, col) on of a sum of blocks, each block_rows * block_cols. A
// single block is used in place; a sum is computed in `memory`, and transposed if the operand is.
Operand form_sum(const Operand& operand, const Terms& sum, Index block_rows, Index block_cols,
                 Index row, Index col, Index rows, Index cols, const TileKernels& kernels,
                 float* memory) noexcept {
  const bool by_rows = operand.rows_contiguous();
  std::array<ScaledMatrix, kMostTerms> terms;
  for (std::size_t t = 0; t < terms.size() && t < static_cast<std::size_t>(sum.count); ++t) {
    const Terms::Term& term = sum.terms[t];
    terms[t] = {operand.at(term.row * block_rows + row, term.col * block_cols + col),
                by_rows ? operand.row_stride : operand.col_stride, term.factor};
  }
  if (sum.count == 1) return {terms[0].data, operand.row_stride, operand.col_stride};
  if (by_rows) {
    kernels.add(terms.data(), sum.count, rows, cols, memory, cols);
    return {memory, cols, 1};
  }
  kernels.add(terms.data(), sum.count, cols, rows, memory, rows);
  return {memory, 1, rows};
}

// Packs b's sum, the part [depth, cols] from (k, j) on.
void pack_sum(const BlockProduct& p, Index k, Index j, Index depth, Index cols,
              const TileKernels& kernels, const Workspace& work) noexcept {
  for (Index done = 0; done < cols; done += kSumCols) {
    const Index part = std::min(kSumCols, cols - done);
    const Operand sum =
        form_sum(p.whole.b, p.b, p.depth, p.cols, k, j + done, depth, part, kernels, work.b);
    pack_operand(sum, depth, part, kernels, work.panels + done * depth);
  }
}

// The outputs for the part of out's blocks from (i, j) on, each with whether it has a value
// already.
std::array<TileOutput, kMostTerms> outputs_of(const BlockProduct& p, Index i, Index j,
                                              bool first_depth) noexcept {
  std::array<TileOutput, kMostTerms> outputs{};
  const Product& whole = p.whole;
  for (int t = 0; t < p.out.count; ++t) {
    const Terms::Term& term = p.out.terms[static_cast<std::size_t>(t)];
    float* const out =
        whole.out + (term.row * p.rows + i) * whole.out_stride + term.col * p.cols + j;
    const bool adds = whole.accumulate || !first_depth || !term.first;
    outputs[static_cast<std::size_t>(t)] = {out, whole.out_stride, whole.alpha * term.factor, adds};
  }
  return outputs;
}

// The rows [begin, end) of one of the innermost products.
//
// for each block of depth
//   for each block of columns:  form and pack b's sum
//     for each block of rows:  form a's sum
//       out's blocks += factor * a's sum * b's sum
void multiply_rows(const BlockProduct& p, Index begin, Index end, const TileKernels& kernels,
                   const Blocks& blocks, const Workspace& work) noexcept {
  for (Index k = 0; k < p.depth; k += blocks.depth) {
    const Index depth = std::min(blocks.depth, p.depth - k);
    for (Index j = 0; j < p.cols; j += kColBlock) {
      const Index cols = std::min(kColBlock, p.cols - j);
      pack_sum(p, k, j, depth, cols, kernels, work);
      for (Index i = begin; i < end; i += blocks.rows) {
        const Index rows = std::min(blocks.rows, end - i);
        const Operand sum =
            form_sum(p.whole.a, p.a, p.rows, p.depth, i, k, rows, depth, kernels, work.a);
        const Operand a = by_rows(sum, rows, depth, kernels, work.transposed);
        const auto outputs = outputs_of(p, i, j, k == 0);
        kernels.multiply(a.data, a.row_stride, work.panels, {rows, depth, cols}, outputs.data(),
                         p.out.count);
      }
    }
  }
}

// The part of a product from (row, col, k) on.
Product part(const Product& p, Index row, Index rows, Index col, Index cols, Index k, Index depth,
             bool accumulate) noexcept {
  return {.rows = rows,
          .cols = cols,
          .depth = depth,
          .a = p.a.from(row, k),
          .b = p.b.from(k, col),
          .out = p.out + row * p.out_stride + col,
          .out_stride = p.out_stride,
          .alpha = p.alpha,
          .accumulate = accumulate};
}

}  // namespace

// for each of the 7^levels innermost products, in order, since they share out's blocks:
//   on all threads, by rows:  multiply_rows
// the remaining depths, columns and rows, which 2^levels does not divide:  tiles
void multiply_strassen(const Product& p, int levels, const Context& context,
                       const TileKernels& kernels) {
  const Index grid = Index{1} << levels;
  const Index rows = p.rows / grid * grid, cols = p.cols / grid * grid,
              depth = p.depth / grid * grid;
  if (levels == 0 || rows == 0 || cols == 0 || depth == 0) {
    return multiply_tiled(p, context, kernels);
  }
  {
    Scratch::Frame frame(context.scratch);
    const Blocks blocks(kernels);
    float* const memory = frame.take<float>(blocks.workspace(), context.parallel.threads());
    std::array<std::size_t, kMostStrassenLevels> numbers{};
    const std::size_t products = levels == 1 ? 7 : 49;
    for (std::size_t product = 0; product < products; ++product) {
      numbers =
          levels == 1 ? decltype(numbers){product} : decltype(numbers){product / 7, product % 7};
      const BlockProduct block{p,
                               rows / grid,
                               cols / grid,
                               depth / grid,
                               terms_of(&StrassenProduct::a, numbers, levels),
                               terms_of(&StrassenProduct::b, numbers, levels),
                               terms_of(&StrassenProduct::out, numbers, levels)};
      const Index pieces = context.parallel.threads() == 1 ? 1 : 2 * context.parallel.threads();
      const Index step = (block.rows + pieces - 1) / pieces;
      context.parallel.for_each((block.rows + step - 1) / step, [&](Index item, int worker) {
        multiply_rows(block, item * step, std::min((item + 1) * step, block.rows), kernels, blocks,
                      Workspace(memory + blocks.workspace() * worker, blocks));
      });
    }
  }
  if (depth < p.depth) {
    multiply_tiled(part(p, 0, rows, 0, cols, depth, p.depth - depth, true), context, kernels);
  }
  if (cols < p.cols) {
    multiply_tiled(part(p, 0, rows, cols, p.cols - cols, 0, p.depth, p.accumulate), context,
                   kernels);
  }
  if (rows < p.rows) {
    multiply_tiled(part(p, rows, p.rows - rows, 0, p.cols, 0, p.depth, p.accumulate), context,
                   kernels);
  }
}

void check_levels(MatmulMethod method, int levels, const char* call) {
  if (levels == -1) return;
  if (method != MatmulMethod::strassen) fail(call, "levels", "only strassen has levels");
  if (levels < 0 || levels > kMostStrassenLevels) {
    fail(call, "levels", {"must be 0 to 2, is ", levels});
  }
}

}  // namespace detail

int strassen_levels(Index rows, Index cols, Index depth) {
  const Index smallest = std::min({rows, cols, depth});
  int levels = 0;
  // A second level works on sums of four blocks each, and pays off only for larger sizes.
  for (Index from = tile_kernels().strassen_from;
       levels < detail::kMostStrassenLevels && smallest >= from; from *= 4) {
    ++levels;
  }
  return levels;
}

Index strassen_workspace(int threads) {
  return detail::Blocks(tile_kernels()).workspace() * static_cast<Index>(sizeof(float)) * threads;
}

}  // namespace tril
