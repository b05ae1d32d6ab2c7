// The state of chapter "Model" as its address holds it: #?text=The+people&then=12.7&seed=3&temperature=0.5&...
import * as v from 'valibot';
import { patchParts } from '../compute/shared/opened/away-protocol';
import {
  openingPatch,
  openingSampling,
  openingSeed,
  openingText,
} from '../compute/shared/opened/opening-text';
import { ranks, trainedIds } from '../compute/shared/opened/further-protocol';
import { choice, codecOf, list, number, oneOf, text, whole, type StateOf } from './fields';

/** Maximum number of letters of a text, and of tokens after it. */
export const [mostLetters, mostThen] = [600, 64];
export const lastSeed = 9999;
export const most = { temperature: 2, topK: 100, topP: 1, minP: 0.5 } as const;
/** Minimum of top-p, whose default is 1: at 0 no token would be left. */
export const leastP = 0.05;
const vocabulary = 999_999;
const last = 999;

/** Maximum number of letters of a prompt in the patching figure, and of parts that are off. */
export const [mostPrompt, mostOff] = [200, 64];
const part = {
  longest: 7,
  read: v.pipe(v.string(), v.regex(/^[1-9]\d{0,2}(h[1-9]\d{0,2}|[af])?$/u)),
  write: String,
};

/** A matrix of a model's files, by the end of its name. */
const matrix = {
  longest: 32,
  read: v.pipe(v.string(), v.regex(/^[a-z]\w{0,31}$/iu)),
  write: String,
};
const mostTargets = 16;

const fields = {
  text: text(openingText, mostLetters),
  /** The tokens after the text, by their ids. */
  then: list(whole(0, vocabulary, 0), '.', mostThen),
  seed: whole(0, lastSeed, openingSeed),
  temperature: number(0, most.temperature, openingSampling.temperature),
  topK: whole(0, vocabulary, openingSampling.topK),
  topP: number(leastP, most.topP, openingSampling.topP),
  minP: number(0, 1, openingSampling.minP),
  /** The enlarged head; both numbers from 1. */
  layer: whole(1, last, 1),
  head: whole(1, last, 1),
  /** The pinned tile: its block and its token, both from 1; 0: none. */
  block: whole(0, last, 0),
  place: whole(0, last, 0),
  /** Parts that are switched off (chapters/model/away.ts). */
  off: list(part, '.', mostOff),
  /** Two prompts, and the activation of the first that is patched into the second. */
  from: text(openingPatch.from, mostPrompt),
  into: text(openingPatch.to, mostPrompt),
  carried: choice(patchParts, openingPatch.part),
  /**
   * Parameters of a copy's training: all weights, or an adapter of this rank for these matrices; no matrices: the
   * package's default.
   */
  trained: choice(trainedIds, 'all'),
  rank: oneOf(ranks, 8),
  targets: list(matrix, '.', mostTargets),
};

export type ModelState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
