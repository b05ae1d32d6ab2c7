// Processes a row register by register; the last register may be partial. For kernel files, like
// foundation/simd.h.
#pragma once

#include <tril/foundation/simd.h>

namespace tril::TRIL_ISA {

// Access to a whole register.
struct WholeRegister {
  Register get(const float* from) const noexcept { return load(from); }
  void put(float* to, Register value) const noexcept { store(to, value); }
  Register keep(Register value) const noexcept { return value; }
};

// Access to the first `count` lanes; the others read as 0 and are not written.
struct PartOfRegister {
  Index count;
  Register get(const float* from) const noexcept { return load_part(from, count, 0.0f); }
  void put(float* to, Register value) const noexcept { store_part(to, value, count); }
  // `value` with 0 in the lanes beyond the row.
  Register keep(Register value) const noexcept {
    for (Index lane = count; lane < kLanes; ++lane) value[lane] = 0.0f;
    return value;
  }
};

// Calls body(i, lanes) for each register of [0, count): lanes.get(x + i) and lanes.put(x + i, ...)
// read and write elements of the row, and none beyond it.
template <typename Body>
inline void for_each_register(Index count, const Body& body) noexcept {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, WholeRegister{});
  if (i < count) body(i, PartOfRegister{count - i});
}

}  // namespace tril::TRIL_ISA
