import type { Calls, LessonCalls, TrainingCalls } from './calls.js';
import type { Part } from './context.js';

/** The modules that have the calls missing from others; tsc checks that none is missing here. */
const parts: Record<Exclude<keyof LessonCalls, keyof Calls>, 'lessons'> &
  Record<Exclude<keyof TrainingCalls, keyof Calls>, 'training'> = {
  concentration: 'lessons',
  expectedMisses: 'lessons',
  onlineAttention: 'lessons',
  productError: 'lessons',
  readProduct: 'lessons',
  runPeak: 'lessons',
  singularValues: 'lessons',
  softmaxSteps: 'lessons',
  strassenLevel: 'lessons',
  strassenSigns: 'lessons',
  traceProduct: 'lessons',
  additiveAttentionBackward: 'training',
  decoderBlockBackward: 'training',
  drawSequences: 'training',
  feedForwardBackward: 'training',
  gatedActivation: 'training',
  gatedActivationBackward: 'training',
  gatedFeedForward: 'training',
  gatedFeedForwardBackward: 'training',
  loadEncoder: 'training',
  loadModel: 'training',
  matmulBackward: 'training',
  multiHeadAttentionBackward: 'training',
  rotaryPositionsBackward: 'training',
  samplingProbabilities: 'training',
  sequenceTrainer: 'training',
  tokenizer: 'training',
  trainer: 'training',
  transformerBackward: 'training',
  transformerBlockBackward: 'training',
  wordVectors: 'training',
};

/**
 * Tells callers without TypeScript where the calls are that this module lacks: each is there, as `refusing` makes it,
 * but is not among the keys of `tril`.
 */
export function defineAbsent(tril: object, refusing: (call: string, part: Part) => unknown): void {
  for (const [call, part] of Object.entries(parts)) {
    if (!(call in tril)) Object.defineProperty(tril, call, { value: refusing(call, part) });
  }
}
