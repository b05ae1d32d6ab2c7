// The linear layer: out = x W^T + b.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/packed_matrix.h>

#include <string_view>

namespace tril {

// x [N, in], weight [out, in], bias [out] or none, out [N, out], as torch.nn.functional.linear;
// rows of x, weight and out may have any stride. out may not share memory with an input. `packed`:
// weight's rows, packed before as columns of its transpose; the result is the same, bit for bit.
// Throws Error where shapes do not fit.
void linear(MatrixView<const float> x, MatrixView<const float> weight, VectorView<const float> bias,
            MatrixView<float> out, Scratch& scratch, Parallel& parallel,
            const PackedColumns& packed = {});

// Throws Error in the name of `call` unless `packed`, if it is given, can be weight's transpose.
void check_packed(std::string_view call, std::string_view argument, const PackedColumns& packed,
                  const MatrixView<const float>& weight);

}  // namespace tril
