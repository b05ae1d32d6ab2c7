import { attentionCalls } from './calls/attention.js';
import { layerCalls } from './calls/layers.js';
import { maskCalls } from './calls/mask.js';
import { matmulCalls } from './calls/matmul.js';
import { multiHeadCalls } from './calls/multi-head-attention.js';
import { softmaxCalls } from './calls/softmax.js';
import { tensorCalls } from './calls/tensor.js';
import type { Context } from './context.js';

/** Everything that can be called on a loaded module. */
export const calls = (context: Context) => ({
  ...tensorCalls(context),
  ...matmulCalls(context),
  ...softmaxCalls(context),
  ...maskCalls(context),
  ...attentionCalls(context),
  ...multiHeadCalls(context),
  ...layerCalls(context),
});
