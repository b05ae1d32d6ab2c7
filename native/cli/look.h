// The result of `tril look`, and its display on a terminal.
#pragma once

#include <tril/foundation/buffer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tril::cli {

// A text as the model's tokens, and the attention weights of every head.
struct Look {
  std::string model;
  std::vector<std::int32_t> ids;
  std::vector<std::string> tokens;  // their texts
  Buffer<float, 4> weights;         // [L, H, T, T]

  Index layers() const { return weights.shape()[0]; }
  Index heads() const { return weights.shape()[1]; }
  Index count() const { return weights.shape()[2]; }
};

// One line per layer: a letter and a percentage for each of its heads.
std::string overview(const Look& look);

// One line per token: a shade for each token it looks at, and the tokens with most of its weight.
std::string map_of(const Look& look, Index layer, Index head);

}  // namespace tril::cli
