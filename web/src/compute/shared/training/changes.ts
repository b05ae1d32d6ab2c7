// What can be changed of a training, one thing at a time: "What if" holds it against the usual one.
import type { ModelSettings, TrainingSettings } from 'tril';
import { length, vocabulary } from './tasks';

// prettier-ignore
export const changeIds = ['mask', 'root', 'positions', 'one', 'eight', 'residual', 'norm', 'sgd', 'rate'] as const;
export type ChangeId = (typeof changeIds)[number];

export const steps = 200;
/** Steps from one point of the curves to the next. */
export const every = 4;

/** Two layers of two heads, as the heads that are born, and a feed-forward that takes part. */
export const usualModel = {
  ...{ layers: 2, heads: 2, width: 32, hidden: 64, context: length, vocabulary },
  ...{ biases: false, tiedHead: false },
} as const satisfies ModelSettings;

export const changes: Readonly<
  Record<ChangeId, { readonly model?: ModelSettings; readonly training?: TrainingSettings }>
> = {
  mask: { model: { causal: false } },
  root: { model: { scaledScores: false } },
  positions: { model: { positions: 'none' } },
  one: { model: { heads: 1 } },
  eight: { model: { heads: 8 } },
  residual: { model: { residual: false } },
  norm: { model: { norm: 'none' } },
  sgd: { training: { optimizer: 'sgd' } },
  rate: { training: { learningRate: 5e-2, lowestRate: 5e-2 } },
};
