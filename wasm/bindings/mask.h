#pragma once

#include <tril/attention/mask.h>

#include <cstdint>
#include <vector>

#include "tensor.h"

namespace tril::js {

// Rules { kind, ... } of ../src/calls/mask.ts, which all hold together.
EMSCRIPTEN_DECLARE_VAL_TYPE(MaskRules)

// The core's mask for rules from JavaScript, and the memory that it borrows.
class MaskArgument {
 public:
  // Throws Error, naming `call` and "mask", for a dense mask of more than four axes.
  MaskArgument(const MaskRules& rules, const char* call);

  const Mask& mask() const noexcept { return mask_; }

 private:
  Mask rule(const emscripten::val& rule, const char* call);

  Mask mask_;
  std::vector<std::vector<std::uint8_t>> visible_;  // boolean masks, a byte an element
};

}  // namespace tril::js
