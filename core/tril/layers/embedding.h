// Looks up rows of a table: out[n, :] = table[ids[n], :]. Turns token ids into vectors.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// ids [N], table [V, C], out [N, C], as torch.nn.functional.embedding. Throws Error naming the
// first id outside [0, V). out may not share memory with table.
void embedding(VectorView<const std::int32_t> ids, MatrixView<const float> table,
               MatrixView<float> out);

// The backward pass: d_table[ids[n], :] += d_out[n, :], in the order of n, whatever the number of
// threads. d_out [N, C], ids [N], d_table [V, C]. Throws Error as embedding does, before anything
// is written.
void embedding_backward(MatrixView<const float> d_out, VectorView<const std::int32_t> ids,
                        MatrixView<float> d_table, const Context& context = {});

}  // namespace tril
