// What each output row reads as: the token whose content is most like it, found by the core.
import { rowOf } from '../../compute/page/protocol';
import { visible } from '../../entered/tokens';
import type { Scene } from './scene';

/** Two different tokens agree by 2 of 3 at most: less than half way above that is a blend. */
const clear = 2.5;

export interface Reading {
  readonly token: string;
  /** One token, not a blend of several. */
  readonly pure: boolean;
}

export function readingsOf({ result, tokens }: Scene): readonly Reading[] {
  const { readout } = result;
  if (!readout || !tokens) return [];
  return Array.from({ length: readout.rows }, (_, row) => {
    const scores = rowOf(readout, row);
    const best = scores.indexOf(Math.max(...scores));
    return { token: visible(tokens.distinct[Math.max(best, 0)]), pure: scores[best] >= clear };
  });
}
