#include <tril/text/letter_case.h>

#include <algorithm>

namespace tril::detail {

LetterCase letter_case(std::uint32_t code) noexcept {
  const std::span<const CaseRun> runs = case_runs();
  const auto at = std::ranges::lower_bound(runs, code, {}, &CaseRun::last);
  if (at == runs.end() || code < at->first / 4) return LetterCase::none;
  const bool in_turn = at->first & 2, is_other = in_turn && (code - at->first / 4) % 2 == 1;
  const bool is_small = ((at->first & 1) != 0) != is_other;
  return is_small ? LetterCase::small : LetterCase::capital;
}

std::uint32_t lower_case(std::uint32_t code) noexcept {
  const std::span<const Capitals> all = capitals();
  const auto at = std::ranges::lower_bound(all, code, {}, &Capitals::last);
  if (at == all.end() || code < at->first) return code;
  const auto step = static_cast<std::uint32_t>(at->step);
  return (code - at->first) % step == 0 ? code + static_cast<std::uint32_t>(at->distance) : code;
}

}  // namespace tril::detail
