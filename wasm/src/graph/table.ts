// The table of operations, by name. What is listed here can be written in a graph, and is read by every reader.
import { add, divide, multiply, subtract } from './operations/arithmetic.js';
import { input, number } from './operations/leaves.js';
import { matmul } from './operations/matmul.js';
import { logSoftmax, softmax } from './operations/softmax.js';
import { transpose } from './operations/transpose.js';
import { exp, gelu, log, relu, silu, sqrt, tanh } from './operations/unary.js';
import type { Fused, Operation } from './operation.js';

export const table: Readonly<Record<string, Operation | Fused>> = {
  ...{ input, number },
  ...{ matmul, transpose },
  ...{ add, subtract, multiply, divide },
  ...{ exp, log, sqrt, tanh, relu, gelu, silu },
  ...{ softmax, logSoftmax },
};
