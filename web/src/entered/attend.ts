// The query to the core about a text and a head.
import { positions, table, type HeadWeights } from '../compute/shared/handmade/attend-heads';
import type { AttendRequest, Content } from '../compute/page/protocol';
import type { Entered } from './labels';

/** A row of X for each token or line. */
export const contentOf = (entered: Entered): Content =>
  entered.kind === 'tokens'
    ? { kind: 'tokens', ids: entered.ids, table }
    : { kind: 'numbers', numbers: entered.matrix };

export function requestOf(entered: Entered, weights: HeadWeights, causal: boolean): AttendRequest {
  return {
    content: contentOf(entered),
    positions,
    weights: { q: weights.wq, k: weights.wk, v: weights.wv },
    causal,
  };
}
