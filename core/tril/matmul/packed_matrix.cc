#include <tril/foundation/check.h>
#include <tril/matmul/packed_matrix.h>
#include <tril/matmul/tiled.h>

#include <algorithm>

namespace tril {

// for each block of depth, as deep as in the tiled product
//   for each panel, on all threads:  pack it
void PackedMatrix::pack(const MatrixView<const float>& b, bool transposed, const Context& context) {
  check_view(b, "PackedMatrix", "b");
  const TileKernels& kernels = tile_kernels();
  const Index cols = b.size(transposed ? 0 : 1);
  const Index shape[] = {b.size(transposed ? 1 : 0), kernels.packed_count(1, cols)};
  const auto bytes =
      static_cast<std::size_t>(checked_count(shape, 2, sizeof(float), "PackedMatrix", "b")) *
      sizeof(float);
  if (bytes != memory_.bytes()) {
    memory_ = AlignedMemory(bytes, "PackedMatrix", "the panels of b take");
  }
  depth_ = shape[0], cols_ = cols, padded_cols_ = shape[1];
  auto* const panels = reinterpret_cast<float*>(memory_.data());
  const detail::Operand from = detail::operand(b, transposed);
  const Index step = detail::depth_step(depth_), count = padded_cols_ / kernels.panel_cols;
  context.parallel.for_each(count, [&](Index panel, int) {
    const Index col = panel * kernels.panel_cols;
    for (Index k = 0; k < depth_; k += step) {
      const Index depth = std::min(step, depth_ - k);
      detail::pack_operand(from.from(k, col), depth, std::min(kernels.panel_cols, cols_ - col),
                           kernels, panels + k * padded_cols_ + col * depth);
    }
  });
}

PackedColumns PackedColumns::from(Index col) const noexcept {
  if (!matrix || (first + col) % tile_kernels().panel_cols != 0) return {};
  return {matrix, first + col};
}

}  // namespace tril
