// What `tril look` has found, and how it is shown on a terminal.
#pragma once

#include <tril/foundation/buffer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tril::cli {

// A text as the model sees it, and what every head makes of it.
struct Look {
  std::string model;
  std::vector<std::int32_t> ids;
  std::vector<std::string> tokens;  // their texts
  Buffer<float, 4> weights;         // [L, H, T, T]

  Index layers() const { return weights.shape()[0]; }
  Index heads() const { return weights.shape()[1]; }
  Index count() const { return weights.shape()[2]; }
};

// A line a layer, and a letter and per cent for each of its heads.
std::string overview(const Look& look);

// A line a token: a shade for each token that it looks at, and those with most of its weight.
std::string map_of(const Look& look, Index layer, Index head);

}  // namespace tril::cli
