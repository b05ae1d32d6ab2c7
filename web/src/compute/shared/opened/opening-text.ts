// The opening state of chapter "Model".
import type { PatchAsk } from './away-protocol';
import type { OpenedRequests, Sampling } from './protocol';

/**
 * The text begins with a space: the tokenizer has capitalized words only after one, and would cut others into letters.
 */
export const openingText = ' We must work for peace and';
export const openingSampling: Sampling = { temperature: 0.8, topK: 12, topP: 0.9, minP: 0 };
export const openingSeed = 1;

/** Two prompts, and the activation of the first that is patched into the second. */
export const openingPatch: PatchAsk = {
  from: 'the amount of the public',
  to: 'the officers of the public',
  part: 'residual',
};

/** Texts after which top-p leaves few tokens, or many. */
export const openingAsks: readonly OpenedRequests['next']['ask'][] = [
  { text: 'The Government of the United', topP: 0.5 },
  { text: 'I recommend to the', topP: 0.5 },
  { text: openingText, topP: 0.9 },
  { text: 'The treaty of peace between', topP: 0.5 },
  { text: 'To the Senate and House of', topP: 0.9 },
].map(({ text, topP }) => ({
  ...{ text, then: [], seed: 1 },
  sampling: { temperature: 1, topK: 0, topP, minP: 0 },
}));
