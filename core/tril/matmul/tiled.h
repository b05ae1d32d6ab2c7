// The product by packed panels and the register tile of tile_kernels.h.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/matmul/product.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::detail {

// Takes its working memory from `scratch` before it writes anything: for each thread a block of B,
// and of A where that is transposed, 256 KiB together at most.
void multiply_tiled(const Product& product, Scratch& scratch, Parallel& parallel,
                    const TileKernels& kernels = tile_kernels());

}  // namespace tril::detail
