#include <tril/foundation/check.h>
#include <tril/layers/embedding.h>

#include <algorithm>

namespace tril {

void embedding(VectorView<const std::int32_t> ids, MatrixView<const float> table,
               MatrixView<float> out) {
  check_view(ids, "embedding", "ids");
  check_view(table, "embedding", "table");
  const Index rows = table.size(0), cols = table.size(1);
  check_shape(out, {ids.size(0), cols}, "embedding", "out",
              [&] { return "ids is " + shape_text(ids) + ", table is " + shape_text(table); });
  check_no_overlap(out, table, "embedding", "out");
  for (Index n = 0; n < ids.size(0); ++n) {
    if (ids[n] < 0 || ids[n] >= rows) {
      fail("embedding", "ids",
           "id " + std::to_string(ids[n]) + " at " + std::to_string(n) + " is not a row of table " +
               shape_text(table));
    }
  }
  for (Index n = 0; n < ids.size(0); ++n) std::copy_n(table[ids[n]].data(), cols, out[n].data());
}

}  // namespace tril
