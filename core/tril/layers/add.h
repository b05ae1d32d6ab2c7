// The residual connection (He et al. 2015): out = x + branch, element by element.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/tensor.h>

namespace tril {

// All [N, C]; rows may have any stride; out may be x or branch itself. Throws Error where shapes do
// not fit.
void add(MatrixView<const float> x, MatrixView<const float> branch, MatrixView<float> out,
         Parallel& parallel);

}  // namespace tril
