// A little of every floor: a product, attention over it, and a file of that.
#include <tril/tril.h>

#include <cmath>
#include <cstdio>

#include "halve.h"

// One copy for each instruction set, dispatched like Tril's own kernels.
namespace tril {
TRIL_DEFINE_DISPATCH(HalveKernels, kHalveKernels, halve_kernels)
}

int main() {
  tril::Buffer<float, 2> a({3, 4}), b({4, 5}), product({3, 5}), normed({3, 5});
  tril::Random random(1);
  tril::fill_normal(a.view(), random);
  tril::fill_normal(b.view(), random);
  tril::Scratch scratch;
  tril::Parallel threads(2);
  tril::matmul(a, b, {}, product);
  tril::layer_norm(product, {}, {}, {}, normed, threads);

  const tril::TensorView<const float, 4> heads(normed.data(), {1, 1, 3, 5});
  tril::Buffer<float, 4> output({1, 1, 3, 5});
  tril::attention(heads, heads, heads, {.causal = true}, output, {scratch, threads});
  // The first token sees only itself.
  for (int i = 0; i < 5; ++i) {
    if (output.data()[i] != normed.data()[i]) return 1;
  }
  for (const tril::Isa isa : tril::available_isas()) {
    tril::Buffer<float, 2> halves({3, 5});
    tril::halve_kernels(isa).halve(normed.data(), halves.data(), 15);
    for (int i = 0; i < 15; ++i) {
      if (halves.data()[i] != normed.data()[i] / 2) return 1;
    }
  }
  const auto file = tril::npy_bytes(output.shape(), {output.data(), 15});
  std::vector<float> read(15);
  tril::read_elements(tril::parse_npy(file), std::span(read));
  for (std::size_t i = 0; i < 15; ++i) {
    if (read[i] != output.data()[i]) return 1;
  }
  try {
    tril::transformer_block({}, {}, {}, {});
    return 1;
  } catch (const tril::Error& error) {
    std::printf("%s\n", error.what());
  }
}
