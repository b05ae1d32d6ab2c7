// "tile_sweep/ISA/ROWSxCOLS": the speed of a register tile of that size on data in the nearest
// caches.
#include <tril/foundation/buffer.h>

#include <string>

#include "matmul_bench.h"
#include "tile_sweep_kernels.h"

namespace tril {

using bench::SweptTiles;
TRIL_DEFINE_DISPATCH(SweptTiles, kSweptTiles, swept_tiles)

namespace bench {

namespace {

void sweep(benchmark::State& state, const SweptTile& tile) {
  Buffer<float, 2> a({kSweepRows, kSweepDepth}), panel({kSweepDepth, tile.cols}),
      out({kSweepRows, tile.cols});
  measure(state, [&] { tile.multiply(a.data(), panel.data(), out.data()); });
  count_flops(state, tile.flops());
}

const bool kRegistered = [] {
  for (const Isa isa : available_isas()) {
    for (const SweptTile& tile : swept_tiles(isa)) {
      const std::string name = std::string("tile_sweep/") + isa_name(isa) + "/" +
                               std::to_string(tile.rows) + "x" + std::to_string(tile.cols);
      benchmark::RegisterBenchmark(name.c_str(), sweep, tile);
    }
  }
  return true;
}();

}  // namespace
}  // namespace bench
}  // namespace tril
