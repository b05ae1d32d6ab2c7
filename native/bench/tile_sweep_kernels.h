// Register tiles of many sizes, one copy per instruction set, to choose the best from.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

#include <iterator>

namespace tril::bench {

// A block whose A (96 KiB) and one panel of B fit into the caches nearest to the core.
inline constexpr Index kSweepRows = 96, kSweepDepth = 256;

struct SweptTile {
  int rows, cols;
  // out [kSweepRows, cols] = a [kSweepRows, kSweepDepth] * panel [kSweepDepth, cols], for all whole
  // tiles.
  void (*multiply)(const float* a, const float* panel, float* out) noexcept;

  double flops() const {
    return 2.0 * static_cast<double>(kSweepRows / rows * rows * kSweepDepth * cols);
  }
};

struct SweptTiles {
  const SweptTile* tiles;
  int count;

  const SweptTile* begin() const { return tiles; }
  const SweptTile* end() const { return tiles + count; }
};

}  // namespace tril::bench
