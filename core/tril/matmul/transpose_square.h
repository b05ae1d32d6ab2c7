// Transposition of a square of registers. For kernel files, like simd.h.
#pragma once

#include <tril/foundation/simd.h>

#include <utility>

namespace tril::TRIL_ISA {
namespace detail {

// Swaps the off-diagonal blocks of size `Half` in each square of 2 * Half: lane by lane, `first`
// keeps its lower blocks and gets the lower ones of `second` as its upper ones; `second` keeps its
// upper blocks and gets the upper ones of `first`.
template <int Half, std::size_t... Lane>
inline void swap_blocks(Register& first, Register& second, std::index_sequence<Lane...>) noexcept {
  const Register x = first, y = second;
  first = __builtin_shufflevector(x, y, (Lane & Half ? kLanes + Lane - Half : Lane)...);
  second = __builtin_shufflevector(x, y, (Lane & Half ? kLanes + Lane : Lane + Half)...);
}

}  // namespace detail

// Swaps rows[i][j] and rows[j][i]: blocks of kLanes / 2 first, single elements last.
template <int Half = kLanes / 2>
inline void transpose_square(Register (&rows)[kLanes]) noexcept {
  for (int i = 0; i < kLanes; ++i) {
    if ((i & Half) == 0) {
      detail::swap_blocks<Half>(rows[i], rows[i + Half], std::make_index_sequence<kLanes>());
    }
  }
  if constexpr (Half > 1) transpose_square<Half / 2>(rows);
}

}  // namespace tril::TRIL_ISA
