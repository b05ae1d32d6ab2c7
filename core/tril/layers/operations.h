// The operations on one number and on two that run over whole tensors (elementwise.h). A header for
// kernel files, too: it has no functions.
#pragma once

namespace tril {

// Of one number.
enum class Unary { exp, log, sqrt, abs, negate, tanh };

// Of two numbers. A comparison gives 1 where it holds, else 0.
enum class Binary {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  power
};

}  // namespace tril
