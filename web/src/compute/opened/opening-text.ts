// What chapter "Model" opens with.
import type { PatchAsk } from './away-protocol';
import type { Sampling } from './protocol';

/** Begins with a blank: the tokenizer has capitalized words only behind one, and would cut others into letters. */
export const openingText = ' We must work for peace and';
export const openingSampling: Sampling = { temperature: 0.8, topK: 12, topP: 0.9, minP: 0 };
export const openingSeed = 1;

/** Two prompts, and what of the first is put into the second. */
export const openingPatch: PatchAsk = {
  from: 'the amount of the public',
  to: 'the officers of the public',
  part: 'residual',
};
