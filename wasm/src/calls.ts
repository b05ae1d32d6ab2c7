import { arithmeticCalls } from './calls/arithmetic.js';
import { attentionCalls } from './calls/attention.js';
import { attentionGradientCalls } from './calls/attention-gradients.js';
import { blockGradientCalls } from './calls/block-gradients.js';
import { costCalls } from './calls/cost.js';
import { efficientAttentionCalls } from './calls/efficient-attention.js';
import { elementwiseCalls } from './calls/elementwise.js';
import { feedForwardCalls } from './calls/feed-forward.js';
import { fileCalls } from './calls/files.js';
import { gradientCalls } from './calls/gradients.js';
import { cacheCalls } from './calls/key-value-cache.js';
import { layerCalls } from './calls/layers.js';
import { layerGradientCalls } from './calls/layer-gradients.js';
import { lessonCalls } from './calls/lessons.js';
import { lossCalls } from './calls/losses.js';
import { maskCalls } from './calls/mask.js';
import { matmulCalls } from './calls/matmul.js';
import { matrixCalls } from './calls/matrices.js';
import { measureCalls } from './calls/measures.js';
import { multiHeadCalls } from './calls/multi-head-attention.js';
import { normCalls } from './calls/norms.js';
import { onlineAttentionCalls } from './calls/online-attention.js';
import { reductionCalls } from './calls/reductions.js';
import { shapeCalls } from './calls/shapes.js';
import { softmaxCalls } from './calls/softmax.js';
import { tensorCalls } from './calls/tensor.js';
import { trainerCalls } from './calls/trainer.js';
import { transformerCalls } from './calls/transformer.js';
import { weightCalls } from './calls/weights.js';
import type { Context } from './context.js';

/**
 * Everything that can be called on any loaded module. An interface, since what tsc infers for the object
 * below has lost the comments that editors show.
 */
export interface Calls
  extends
    ReturnType<typeof tensorCalls>,
    ReturnType<typeof matmulCalls>,
    ReturnType<typeof arithmeticCalls>,
    ReturnType<typeof elementwiseCalls>,
    ReturnType<typeof reductionCalls>,
    ReturnType<typeof shapeCalls>,
    ReturnType<typeof matrixCalls>,
    ReturnType<typeof softmaxCalls>,
    ReturnType<typeof maskCalls>,
    ReturnType<typeof attentionCalls>,
    ReturnType<typeof cacheCalls>,
    ReturnType<typeof onlineAttentionCalls>,
    ReturnType<typeof efficientAttentionCalls>,
    ReturnType<typeof multiHeadCalls>,
    ReturnType<typeof layerCalls>,
    ReturnType<typeof lessonCalls>,
    ReturnType<typeof measureCalls>,
    ReturnType<typeof costCalls>,
    ReturnType<typeof fileCalls>,
    ReturnType<typeof normCalls>,
    ReturnType<typeof feedForwardCalls>,
    ReturnType<typeof transformerCalls>,
    ReturnType<typeof gradientCalls>,
    ReturnType<typeof lossCalls>,
    ReturnType<typeof weightCalls> {}

/** What works in a module of `tril/training` alone. Any other has these calls, too: they throw, and say where they work. */
export interface TrainingCalls
  extends
    ReturnType<typeof layerGradientCalls>,
    ReturnType<typeof attentionGradientCalls>,
    ReturnType<typeof blockGradientCalls>,
    ReturnType<typeof trainerCalls> {}

export const calls = (context: Context): Calls & TrainingCalls => ({
  ...tensorCalls(context),
  ...matmulCalls(context),
  ...arithmeticCalls(context),
  ...elementwiseCalls(context),
  ...reductionCalls(context),
  ...shapeCalls(context),
  ...matrixCalls(context),
  ...softmaxCalls(context),
  ...maskCalls(context),
  ...attentionCalls(context),
  ...cacheCalls(context),
  ...onlineAttentionCalls(context),
  ...efficientAttentionCalls(context),
  ...multiHeadCalls(context),
  ...layerCalls(context),
  ...lessonCalls(context),
  ...measureCalls(context),
  ...costCalls(context),
  ...fileCalls(context),
  ...normCalls(context),
  ...feedForwardCalls(context),
  ...transformerCalls(context),
  ...gradientCalls(context),
  ...layerGradientCalls(context),
  ...attentionGradientCalls(context),
  ...blockGradientCalls(context),
  ...lossCalls(context),
  ...trainerCalls(context),
  ...weightCalls(context),
});
