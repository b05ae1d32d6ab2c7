// The state of chapter "Check" as its address holds it: #check?bug=3&example=block&kind=multiHead&heads=4&... A
// visitor's files are not part of it: they stay on the visitor's device.
import {
  backwardMistakes,
  gradientNames,
  type BackwardMistake,
} from '../compute/shared/lessons/check-names';
import { exampleIds } from '../compute/shared/lessons/golden';
import type { Cell } from './cell';
import { cell, choice, codecOf, whole, type StateOf } from './fields';

export const kinds = [
  ...(['attention', 'multiHead', 'block'] as const),
  ...(['attentionBackward', 'linearBackward'] as const),
] as const;
export const activations = ['relu', 'gelu', 'gelu_tanh', 'silu'] as const;
export const tolerances = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] as const;

/** Mistakes that a sample can contain. */
export const mistakes = [
  ...(['noScale', 'scaleByWidth', 'timesRoot', 'swappedQK', 'keysForValues'] as const),
  ...(['softmaxOverQueries', 'noSoftmax', 'noMask', 'maskAfterSoftmax'] as const),
  ...(['zerosForMask', 'maskTurned', 'hidesItself', 'seesNext', 'right'] as const),
] as const;
export type Mistake = (typeof mistakes)[number] | BackwardMistake;
/** Mistakes in a sample's select: first those of the forward pass. */
export const allMistakes: readonly Mistake[] = [...mistakes, ...backwardMistakes];

/** The matrices of the chapter's opening case. */
export const bugIds = ['ours', 'theirs', 'gap'] as const;
export type BugCell = Cell<(typeof bugIds)[number]>;

const fields = {
  /** The number of that case, from which its mistake and its inputs follow. */
  bug: whole(1, 9999, 1),
  pin: cell(bugIds),
  example: choice(exampleIds, 'multiHead'),
  kind: choice(kinds, 'attention'),
  causal: choice(['yes', 'no'], 'yes'),
  /** The gradient shown of a backward pass, if it exists. */
  of: choice(gradientNames, 'd_q'),
  /** 0: heads have an axis of their own. */
  heads: whole(0, 64, 0),
  norm: choice(['post', 'pre'], 'post'),
  activation: choice(activations, 'relu'),
  /** Index into tolerances. */
  tolerance: whole(0, tolerances.length - 1, 1),
  /** A sample instead of files: its mistake and seed. */
  sample: choice(['', ...mistakes, ...backwardMistakes], ''),
  seed: whole(1, 9999, 1),
};

export type CheckState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
