// Rows of a table, picked by number: out[n, :] = table[ids[n], :]. What turns token numbers into
// vectors.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// ids [N], table [V, C], out [N, C], as torch.nn.functional.embedding. Every id must lie in [0, V):
// throws Error naming the first that does not. out may not share memory with table.
void embedding(VectorView<const std::int32_t> ids, MatrixView<const float> table,
               MatrixView<float> out);

}  // namespace tril
