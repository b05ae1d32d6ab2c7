// Dropout of one row; one copy per instruction set, all with the same bits.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

struct DropoutKernels {
  // out[c] = factor * x[c] where the hash of c and both keys is at least `threshold`, else 0. out
  // may be x.
  void (*row)(const float* x, float* out, Index cols, std::uint32_t key1, std::uint32_t key2,
              std::uint32_t threshold, float factor) noexcept;
};

const DropoutKernels& dropout_kernels(Isa isa = best_isa());

}  // namespace tril
