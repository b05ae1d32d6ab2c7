// Any shapes, strides, masks and options: an Error before anything is written, or an output that
// two threads reproduce bit by bit.
#include <tril/attention/attention.h>
#include <tril/foundation/error.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "arguments.h"
#include "require.h"

using namespace tril;

namespace {

struct Sizes {
  Index batches, heads, kv_heads, queries, keys, depth, width;
};

// A mask's borrowed memory is `visible` and the arguments' memory.
Mask mask(fuzz::Arguments& from, const Sizes& sizes, std::vector<std::uint8_t>& visible) {
  const auto axis = [&](Index size) { return from.flag() ? size : 1; };
  Mask mask;
  while (from.flag()) {
    switch (from.number(0, 5)) {
      case 0:
        mask = mask & Mask::causal();
        break;
      case 1:
        mask = mask & Mask::window(from.number(-1, 9), from.number(-1, 9));
        break;
      case 2:
        mask = mask & Mask::strided(from.number(0, 9), from.number(0, 9));
        break;
      case 3: {
        std::vector<Index> lengths(from.length(sizes.batches));
        for (Index& each : lengths) each = from.number(-1, 9);
        mask = mask & Mask::padding(lengths);
        break;
      }
      case 4:
        mask = mask & Mask::additive(from.view<4>({axis(sizes.batches), axis(sizes.heads),
                                                   axis(sizes.queries), axis(sizes.keys)},
                                                  true));
        break;
      default: {
        const Shape<4> shape = {axis(sizes.batches), axis(sizes.heads), axis(sizes.queries),
                                axis(sizes.keys)};
        visible.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]));
        for (std::uint8_t& each : visible) each = from.flag();
        return mask & Mask::boolean({visible.data(), shape});
      }
    }
  }
  return mask;
}

AttentionOptions options(fuzz::Arguments& from, const Sizes& sizes) {
  AttentionOptions options;
  options.causal = from.flag();
  if (from.seldom()) options.scale = from.any_float();
  if (from.seldom()) options.softcap = from.any_float();
  if (from.seldom()) options.past = from.number(-1, 9);
  if (from.seldom()) options.past = std::numeric_limits<Index>::max() - from.number(0, 9);
  if (from.seldom()) {
    options.key_lengths.resize(from.length(sizes.batches));
    for (Index& each : options.key_lengths) each = from.number(-1, 9);
  }
  options.method = static_cast<AttentionMethod>(from.number(0, 3));
  if (from.seldom()) options.method = static_cast<AttentionMethod>(from.number(-1, 5));
  return options;
}

void attend(fuzz::Arguments& from) {
  Sizes sizes{};
  sizes.batches = from.number(1, 3);
  sizes.kv_heads = from.number(1, 3);
  sizes.heads = sizes.kv_heads * from.number(1, 3);
  sizes.queries = from.number(1, 9);
  sizes.keys = from.number(1, 9);
  sizes.depth = from.number(1, 9);
  sizes.width = from.number(1, 9);
  std::vector<std::uint8_t> visible;
  AttentionOptions with = options(from, sizes);
  with.mask = mask(from, sizes, visible);

  const TensorView<float, 4> q = from.view<4>(
                                 {sizes.batches, sizes.heads, sizes.queries, sizes.depth}, true),
                             k = from.view<4>(
                                 {sizes.batches, sizes.kv_heads, sizes.keys, sizes.depth}, true),
                             v = from.view<4>(
                                 {sizes.batches, sizes.kv_heads, sizes.keys, sizes.width}, true);
  AttentionTrace trace;
  const Shape<4> scores = {sizes.batches, sizes.heads, sizes.queries, sizes.keys};
  for (TensorView<float, 4>* each : {&trace.scores, &trace.capped, &trace.masked, &trace.weights}) {
    if (from.seldom()) *each = from.view<4>(scores, false);
  }
  TensorView<float, 4> output =
      from.view<4>({sizes.batches, sizes.heads, sizes.queries, sizes.width}, false);
  if (from.seldom()) output = from.flag() ? q : v;
  const std::vector<std::vector<float>> before = from.memory();
  Scratch scratch;
  Parallel parallel(1);
  try {
    attention(q, k, v, with, output, {scratch, parallel}, trace);
  } catch (const Error&) {
    fuzz::require(from.memory() == before, "after an error nothing is written");
    return;
  }
  const std::vector<float> once = from.memory().back();
  static Parallel two(2);
  attention(q, k, v, with, output, {scratch, two}, trace);
  const std::vector<float>& twice = from.memory().back();
  fuzz::require(std::memcmp(once.data(), twice.data(), once.size() * sizeof(float)) == 0,
                "two threads give the same bits");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Arguments from(data, size);
  try {
    attend(from);
  } catch (const Error&) {
    // The mask cannot be made.
  }
  return 0;
}
