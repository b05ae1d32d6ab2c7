// The table of operations, by name. Graphs can contain exactly these operations, and every reader knows them.
import {
  add,
  divide,
  equal,
  greater,
  greaterEqual,
  less,
  lessEqual,
  maximum,
  minimum,
  multiply,
  notEqual,
  power,
  subtract,
} from './operations/arithmetic.js';
import { runningAverage, tri } from './operations/averages.js';
import { attention, multiHeadAttention } from './operations/attention.js';
import { input, number } from './operations/leaves.js';
import { matmul } from './operations/matmul.js';
import { linear } from './operations/linear.js';
import { mask } from './operations/mask.js';
import { concatenate, reshape, slice } from './operations/moves.js';
import { layerNorm, rmsNorm } from './operations/norms.js';
import { put, take, where } from './operations/places.js';
import { argmax, max, mean, min, sum } from './operations/reductions.js';
import { logSoftmax, softmax } from './operations/softmax.js';
import { crossEntropy, embedding } from './operations/tokens.js';
import { transpose } from './operations/transpose.js';
import { exp, gelu, log, negate, relu, silu, sqrt, tanh } from './operations/unary.js';
import type { Fused, Operation } from './operation.js';

export const table: Readonly<Record<string, Operation | Fused>> = {
  ...{ input, number },
  ...{ matmul, linear },
  ...{ transpose, reshape, slice, concatenate, take, put },
  ...{ add, subtract, multiply, divide, power, maximum, minimum },
  ...{ equal, notEqual, less, lessEqual, greater, greaterEqual, where },
  ...{ exp, log, negate, sqrt, tanh, relu, gelu, silu },
  ...{ sum, mean, max, min, argmax, runningAverage, tri },
  ...{ softmax, logSoftmax, mask, layerNorm, rmsNorm },
  ...{ embedding, crossEntropy },
  ...{ attention, multiHeadAttention },
};
