// The exercises, in the order of difficulty.
import { attention, causal } from './attention.js';
import { average, softmaxOfMask, triangle } from './averages.js';
import { attentionBackward, softmaxBackward } from './backward.js';
import { batches } from './batches.js';
import { block } from './block.js';
import type { Exercise } from './exercise.js';
import { heads, selfAttention } from './layers.js';
import { layerNorm } from './norms.js';
import { onlineSoftmax } from './online.js';
import { softmax } from './softmax.js';

/** The exercises of `checkExercise`, each a step beyond the one before. */
export const exercises: readonly Exercise[] = [
  ...[average, triangle, softmaxOfMask, softmax, attention, causal, selfAttention, heads, batches],
  ...[layerNorm, block, onlineSoftmax, softmaxBackward, attentionBackward],
];
