// The state of chapter "Check" as its address holds it: #check?example=block&kind=multiHead&heads=4&...
// A visitor's files are not in it: they stay where they are.
import * as v from 'valibot';
import { exampleIds, type ExampleId } from '../compute/lessons/golden';
import { decodeFields, encodeFields, whole, type Fields } from './fields';

export const kinds = ['attention', 'multiHead', 'block'] as const;
export const activations = ['relu', 'gelu', 'gelu_tanh', 'silu'] as const;
export const tolerances = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] as const;

/** The mistakes that a sample can be made with. */
export const mistakes = [
  ...(['noScale', 'scaleByWidth', 'timesRoot', 'swappedQK', 'keysForValues'] as const),
  ...(['softmaxOverQueries', 'noSoftmax', 'noMask', 'maskAfterSoftmax'] as const),
  ...(['zerosForMask', 'maskTurned', 'hidesItself', 'seesNext', 'right'] as const),
] as const;
export type Mistake = (typeof mistakes)[number];

export interface CheckState {
  readonly example: ExampleId;
  readonly kind: (typeof kinds)[number];
  readonly causal: 'yes' | 'no';
  /** 0: heads have an axis of their own. */
  readonly heads: number;
  readonly norm: 'post' | 'pre';
  readonly activation: (typeof activations)[number];
  /** Index into tolerances. */
  readonly tolerance: number;
  /** A sample instead of files: its mistake and seed. */
  readonly sample: Mistake | '';
  readonly seed: number;
}

export const defaults: CheckState = {
  example: 'multiHead',
  kind: 'attention',
  causal: 'yes',
  heads: 0,
  norm: 'post',
  activation: 'relu',
  tolerance: 1,
  sample: '',
  seed: 1,
};

const fields: Fields<CheckState> = {
  example: v.picklist(exampleIds),
  kind: v.picklist(kinds),
  causal: v.picklist(['yes', 'no']),
  heads: whole(0, 64),
  norm: v.picklist(['post', 'pre']),
  activation: v.picklist(activations),
  tolerance: whole(0, tolerances.length - 1),
  sample: v.picklist(mistakes),
  seed: whole(1, 9999),
};

export const decode = (query: string) => decodeFields(fields, defaults, query);

export const encode = (state: CheckState) =>
  encodeFields<CheckState>(
    {
      ...{ example: String, kind: String, causal: String, heads: String, norm: String },
      ...{ activation: String, tolerance: String, sample: String, seed: String },
    },
    defaults,
    state,
  );
