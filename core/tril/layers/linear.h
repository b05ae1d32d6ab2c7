// The linear layer: out = x W^T + b.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>

namespace tril {

// x [N, in], weight [out, in], bias [out] or none, out [N, out], as torch.nn.functional.linear;
// rows of x, weight and out may have any stride. out may not share memory with an input. Throws
// Error where shapes do not fit.
void linear(MatrixView<const float> x, MatrixView<const float> weight, VectorView<const float> bias,
            MatrixView<float> out, Scratch& scratch, Parallel& parallel);

}  // namespace tril
