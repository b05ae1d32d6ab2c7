#include <tril/text/lower_case.h>

#include <algorithm>
#include <iterator>

namespace tril::detail {
namespace {

// Capitals first, first + step, ..., last; the small letter is `distance` further.
struct Capitals {
  std::uint16_t first, last, step;
  std::int16_t distance;
};

// UnicodeData.txt's simple lower-case mappings, ascending.
constexpr Capitals kCapitals[] = {
    {0x41, 0x5a, 1, 32},   {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},    {0x100, 0x12e, 2, 1},
    {0x132, 0x136, 2, 1},  {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},   {0x178, 0x178, 1, -121},
    {0x179, 0x17d, 2, 1},  {0x1cd, 0x1db, 2, 1},  {0x1de, 0x1ee, 2, 1},   {0x1f8, 0x21e, 2, 1},
    {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37}, {0x38c, 0x38c, 1, 64},  {0x38e, 0x38f, 1, 63},
    {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32}, {0x400, 0x40f, 1, 80},  {0x410, 0x42f, 1, 32},
    {0x460, 0x480, 2, 1},  {0x48a, 0x4be, 2, 1},  {0x4c0, 0x4c0, 1, 15},  {0x4c1, 0x4cd, 2, 1},
    {0x4d0, 0x52e, 2, 1},  {0x531, 0x556, 1, 48}, {0x1e00, 0x1e94, 2, 1}, {0x1ea0, 0x1efe, 2, 1},
};

}  // namespace

std::uint32_t lower_case(std::uint32_t code) noexcept {
  const auto at = std::find_if(std::begin(kCapitals), std::end(kCapitals),
                               [code](const Capitals& each) { return code <= each.last; });
  if (at == std::end(kCapitals) || code < at->first || (code - at->first) % at->step != 0) {
    return code;
  }
  return code + static_cast<std::uint32_t>(at->distance);
}

}  // namespace tril::detail
