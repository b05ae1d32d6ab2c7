import type { Calls, TrainingCalls } from './calls.js';

/** The names of calls that only a module of `tril/training` has; tsc checks that none is missing. */
const names: Record<Exclude<keyof TrainingCalls, keyof Calls>, true> = {
  additiveAttentionBackward: true,
  decoderBlockBackward: true,
  drawSequences: true,
  feedForwardBackward: true,
  gatedActivation: true,
  gatedActivationBackward: true,
  gatedFeedForward: true,
  gatedFeedForwardBackward: true,
  loadEncoder: true,
  loadModel: true,
  matmulBackward: true,
  multiHeadAttentionBackward: true,
  rotaryPositionsBackward: true,
  sequenceTrainer: true,
  tokenizer: true,
  trainer: true,
  transformerBackward: true,
  transformerBlockBackward: true,
  wordVectors: true,
};

/**
 * Tells callers without TypeScript where these calls are: each is there, as `refusing` makes it, but is not among
 * the keys of `tril`.
 */
export function defineAbsent(tril: object, refusing: (call: string) => unknown): void {
  for (const call of Object.keys(names)) {
    Object.defineProperty(tril, call, { value: refusing(call) });
  }
}
