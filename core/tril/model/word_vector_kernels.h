// Kernels of a window of skip-gram with negative sampling; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct WordVectorKernels {
  // The width of rows is a multiple of this, so that registers are full.
  static constexpr Index kRow = 16;

  // With x = input . target, and s = 1 for target 0, -1 for all others, the loss of each pair is
  // -log p, p = 1 / (1 + e^(-s x)). Writes
  //   moves[i]          = rate * sum over targets j of s (1 - p) target j,
  //   moves[inputs + j] = rate * sum over inputs i of s (1 - p) input i,
  // which are steps down the gradient of all pairs' losses, and p of each pair, inputs x targets.
  // `steps` is working memory of the same size.
  void (*window)(const float* const* input, Index inputs, const float* const* target, Index targets,
                 Index width, float rate, float* p, float* steps, float* moves) noexcept;

  // row[i] += move[i]
  void (*add)(float* row, const float* move, Index width) noexcept;
};

const WordVectorKernels& word_vector_kernels(Isa isa = best_isa());

}  // namespace tril
