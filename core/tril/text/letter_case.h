// Which letters are capitals and which are small. The table is made by make_letter_case_table.mjs.
#pragma once

#include <cstdint>
#include <span>

namespace tril::detail {

// Unicode's categories Lu and Lt, and Ll; of all other code points none.
enum class LetterCase : std::uint8_t { none, capital, small };
LetterCase letter_case(std::uint32_t code) noexcept;

// Code points up to `last` of one case, or of both in turn: 4 * the first + 2 where in turn + 1
// where the first is small.
struct CaseRun {
  std::uint32_t first, last;
};

// All of them, ascending.
std::span<const CaseRun> case_runs() noexcept;

}  // namespace tril::detail
