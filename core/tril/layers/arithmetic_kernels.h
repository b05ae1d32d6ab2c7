// Kernels of the operations of operations.h over rows; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/operations.h>

#include <cstddef>

namespace tril {

// The input of a row: contiguous elements, or one repeated number.
struct RowInput {
  // The elements; for step 0, kRepeats copies of one number, which fill the widest register.
  const float* data;
  Index step;  // 1 or 0

  static constexpr Index kRepeats = 16;

  constexpr RowInput(const float* row = nullptr, Index its_step = 1) noexcept
      : data(row), step(its_step) {}

  const float* at(Index i) const noexcept { return data + i * step; }
};

struct ArithmeticKernels {
  // out[i] = f(x[i]). out may be x.
  using Map = void (*)(RowInput x, float* out, Index count) noexcept;
  Map maps[6];
  // out[i] = x[i] op y[i]. out may be x or y. Every operation but power, which has no kernel.
  using Pair = void (*)(RowInput x, RowInput y, float* out, Index count) noexcept;
  Pair pairs[12];
  // out[i] = x[i] where condition[i] is not 0, else y[i]. out may be any of them.
  void (*where)(RowInput condition, RowInput x, RowInput y, float* out, Index count) noexcept;

  Map of(Unary operation) const noexcept { return maps[static_cast<std::size_t>(operation)]; }
  Pair of(Binary operation) const noexcept { return pairs[static_cast<std::size_t>(operation)]; }
};

const ArithmeticKernels& arithmetic_kernels(Isa isa = best_isa());

}  // namespace tril
