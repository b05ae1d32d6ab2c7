// What the core is asked about a text and a head.
import { positions, table, type HeadWeights } from '../../compute/handmade/attend-heads';
import type { AttendRequest } from '../../compute/protocol';
import type { Entered } from '../../entered/labels';

export function requestOf(entered: Entered, weights: HeadWeights, causal: boolean): AttendRequest {
  return {
    content:
      entered.kind === 'tokens'
        ? { kind: 'tokens', ids: entered.ids, table }
        : { kind: 'numbers', numbers: entered.matrix },
    positions,
    weights: { q: weights.wq, k: weights.wk, v: weights.wv },
    causal,
  };
}
