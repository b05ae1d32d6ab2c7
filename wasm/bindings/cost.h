#pragma once

#include <tril/lessons/cost.h>

#include <string>

#include "attention.h"

namespace tril::js {

// Whole numbers, names and flags by their names, as ../src/calls/cost.ts gives them for each kind.
EMSCRIPTEN_DECLARE_VAL_TYPE(Sizes)

struct CostResult {
  double flops, input_bytes, output_bytes, held_bytes;
  double bytes;   // input_bytes + output_bytes
  double scores;  // -1: not a cost of attention
};

// What a call of that kind costs: the core's matmul_cost ("matmul"), attention_cost ("attention"),
// and so on. `options` are looked at by those that attend.
CostResult cost(const std::string& kind, const Sizes& sizes, const AttentionOptions& options);

// Of one after the other.
CostResult cost_sum(const CostResult& one, const CostResult& other);

}  // namespace tril::js
