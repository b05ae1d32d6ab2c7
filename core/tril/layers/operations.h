// The operations on one and on two numbers that elementwise.h applies to whole tensors. Kernel
// files include this header, too: it has no functions.
#pragma once

namespace tril {

// Operations on one number.
enum class Unary { exp, log, sqrt, abs, negate, tanh };

// Operations on two numbers. A comparison gives 1 where it holds, else 0.
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
