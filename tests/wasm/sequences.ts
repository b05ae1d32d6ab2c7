// Helpers for the tests of sequence trainers: a module, a small model, and batches for it.
import { loadTril, type SequenceTrainerOptions } from 'tril/training';
import * as helpers from './helpers.js';
import { randomNumbers } from './reference.js';

export const sequences = await loadTril({ variant: 'simd' });
export const expectRefused = (
  body: () => unknown,
  refusal: Parameters<typeof helpers.expectRefused>[1],
) => helpers.expectRefused(body, refusal, sequences);
export const withoutLeak = (body: () => void): void => helpers.withoutLeak(body, sequences);

export const sequenceModel = {
  ...{ sourceVocabulary: 6, targetVocabulary: 7, context: 6 },
  ...{ encoderLayers: 2, decoderLayers: 1, heads: 2, width: 8, hidden: 12 },
} as const;
export const sequenceOptions = {
  model: sequenceModel,
  ...{ learningRate: 0.01, steps: 20 },
} satisfies SequenceTrainerOptions;

/** Three sequences of random tokens, S = 5 and T = 4 by default; one label is ignored. */
export function batchOf(seed: number, target = 4) {
  const ids = (part: number, length: number, vocabulary: number) =>
    Array.from({ length: 3 }, (_, row) =>
      randomNumbers(length, 100 * seed + 10 * part + row).map((x) =>
        Math.floor(((x + 1) / 2) * vocabulary),
      ),
    );
  const labels = ids(2, target, 7);
  labels[1]![0] = -100;
  return { source: ids(0, 5, 6), target: ids(1, target, 7), labels };
}
