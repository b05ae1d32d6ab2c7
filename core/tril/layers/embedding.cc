#include <tril/foundation/check.h>
#include <tril/layers/embedding.h>

#include <algorithm>
#include <string>

namespace tril {
namespace {

// `rows` [N, C] correspond to the ids, `table` [V, C] is indexed by them.
void check(const char* call, const VectorView<const std::int32_t>& ids,
           const MatrixView<const float>& table, const char* table_name,
           const MatrixView<const float>& rows, const char* rows_name) {
  check_view(ids, call, "ids", Empty::allowed);
  check_view(table, call, table_name, Empty::allowed);
  check_shape(rows, {ids.size(0), table.size(1)}, call, rows_name,
              {"ids is ", ids, ", ", table_name, " is ", table});
  for (Index n = 0; n < ids.size(0); ++n) {
    if (ids[n] >= 0 && ids[n] < table.size(0)) continue;
    fail(call, "ids", {"id ", ids[n], " at ", n, " is not a row of ", table_name, " ", table});
  }
}

}  // namespace

void embedding(VectorView<const std::int32_t> ids, MatrixView<const float> table,
               MatrixView<float> out) {
  check("embedding", ids, table, "table", out, "out");
  check_view(out, "embedding", "out", Empty::allowed);
  check_no_overlap(out, table, "embedding", "out");
  check_no_overlap(out, ids, "embedding", "out");
  for (Index n = 0; n < ids.size(0); ++n) {
    std::copy_n(table[ids[n]].data(), table.size(1), out[n].data());
  }
}

// for each range of columns:  for each n:  d_table[ids[n], columns] += d_out[n, columns]
void embedding_backward(MatrixView<const float> d_out, VectorView<const std::int32_t> ids,
                        MatrixView<float> d_table, const Context& context) {
  constexpr const char* kCall = "embedding_backward";
  check(kCall, ids, d_table, "d_table", d_out, "d_out");
  check_view(d_table, kCall, "d_table", Empty::allowed);
  check_no_overlap(d_table, d_out, kCall, "d_table");
  check_no_overlap(d_table, ids, kCall, "d_table");
  constexpr Index kColumns = 64;  // of a work item: no two write to the same cache line
  const Index cols = d_table.size(1);
  context.parallel.for_each((cols + kColumns - 1) / kColumns, [&](Index item, int) {
    const Index first = item * kColumns, last = std::min(cols, first + kColumns);
    for (Index n = 0; n < ids.size(0); ++n) {
      const float* const from = d_out[n].data();
      float* const to = d_table[ids[n]].data();
      for (Index c = first; c < last; ++c) to[c] += from[c];
    }
  });
}

}  // namespace tril
