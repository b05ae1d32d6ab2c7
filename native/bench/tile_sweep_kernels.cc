#include "tile_sweep_kernels.h"

#include <tril/matmul/register_tile.h>

namespace tril::TRIL_ISA {
namespace {

template <int Rows, int Vectors>
void multiply(const float* a, const float* panel, float* out) noexcept {
  constexpr Index kCols = Vectors * kLanes;
  const TileOutput output{out, kCols};
  const TileColumn column{.a_stride = bench::kSweepDepth,
                          .panel = panel,
                          .depth = bench::kSweepDepth,
                          .cols = kCols,
                          .outputs = &output,
                          .output_count = 1,
                          .col = 0};
  for (Index i = 0; i + Rows <= bench::kSweepRows; i += Rows) {
    register_tile<Rows, Vectors, kCols, BFrom::panel>(a + i * bench::kSweepDepth, i, column);
  }
}

template <int Rows, int Vectors>
constexpr bench::SweptTile swept() {
  return {Rows, Vectors * kLanes, multiply<Rows, Vectors>};
}

constexpr bench::SweptTile kSwept[] = {swept<1, 4>(), swept<2, 2>(), swept<2, 4>(), swept<3, 3>(),
                                       swept<3, 4>(), swept<4, 2>(), swept<4, 3>(), swept<4, 4>(),
                                       swept<5, 2>(), swept<6, 2>(), swept<6, 3>(), swept<6, 4>(),
                                       swept<8, 2>(), swept<8, 3>(), swept<12, 2>()};

}  // namespace

extern const bench::SweptTiles kSweptTiles;
const bench::SweptTiles kSweptTiles{kSwept, static_cast<int>(std::size(kSwept))};

}  // namespace tril::TRIL_ISA
