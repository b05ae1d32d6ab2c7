// The kernel of dropout of one row; one copy per instruction set, all with the same bits.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

struct DropoutKernels {
  // For columns [first, first + count) of a row; x and out point to column `first`: out = factor *
  // x where the hash of the column and both keys is at least `threshold`, else 0. out may be x.
  void (*row)(const float* x, float* out, Index first, Index count, std::uint32_t key1,
              std::uint32_t key2, std::uint32_t threshold, float factor) noexcept;
};

const DropoutKernels& dropout_kernels(Isa isa = best_isa());

}  // namespace tril
