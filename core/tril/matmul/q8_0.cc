#include <tril/foundation/half.h>
#include <tril/matmul/q8_0.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tril {
namespace {

constexpr std::uint16_t kInfinity = 0x7c00;

bool quantise(const float* x, Index count, Q8Block& block) noexcept {
  float most = 0;
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) return false;
    most = std::max(most, std::fabs(x[i]));
  }
  const float scale = most / 127;
  block.scale = to_half(scale);
  const float inverse = block.scale != 0 ? 1 / scale : 0;  // else 1 / scale may be infinite
  for (Index i = 0; i < count; ++i) {
    block.quants[i] = static_cast<std::int8_t>(std::round(x[i] * inverse));
  }
  return block.scale != kInfinity;
}

}  // namespace

bool quantise_q8_0(const float* row, Index cols, std::byte* out) noexcept {
  for (Index first = 0; first < cols; first += kQ8Block, out += sizeof(Q8Block)) {
    Q8Block block{};
    if (!quantise(row + first, std::min(kQ8Block, cols - first), block)) return false;
    std::memcpy(out, &block, sizeof(block));
  }
  return true;
}

}  // namespace tril
