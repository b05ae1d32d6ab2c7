// The exercises, in the order of the ladder.
import { attention, causal } from './attention.js';
import { average } from './averages.js';
import { attentionBackward, softmaxBackward } from './backward.js';
import { block } from './block.js';
import type { Exercise } from './exercise.js';
import { heads, selfAttention } from './layers.js';
import { layerNorm } from './norms.js';
import { onlineSoftmax } from './online.js';
import { softmax } from './softmax.js';

/** The exercises of `checkExercise`, each a step beyond the one before. */
export const exercises: readonly Exercise[] = [
  ...[average, softmax, attention, causal, selfAttention, heads],
  ...[layerNorm, block, onlineSoftmax, softmaxBackward, attentionBackward],
];
