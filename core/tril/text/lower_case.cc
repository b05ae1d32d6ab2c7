#include <tril/text/lower_case.h>

#include <algorithm>

namespace tril::detail {

std::uint32_t lower_case(std::uint32_t code) noexcept {
  const std::span<const Capitals> all = capitals();
  const auto at = std::ranges::lower_bound(all, code, {}, &Capitals::last);
  if (at == all.end() || code < at->first) return code;
  const auto step = static_cast<std::uint32_t>(at->step);
  return (code - at->first) % step == 0 ? code + static_cast<std::uint32_t>(at->distance) : code;
}

}  // namespace tril::detail
