// The single changes of a training that "What if" compares with the default training.
import type { ModelSettings, TrainingSettings } from 'tril';
import { length, vocabulary } from './tasks';

// prettier-ignore
export const changeIds = ['mask', 'root', 'positions', 'one', 'eight', 'residual', 'norm', 'sgd', 'rate'] as const;
export type ChangeId = (typeof changeIds)[number];

export const steps = 200;
/** Steps between two points of the curves. */
export const every = 4;

/** Two layers of two heads, as in the figure about emerging heads, and a feed-forward part that is used. */
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
