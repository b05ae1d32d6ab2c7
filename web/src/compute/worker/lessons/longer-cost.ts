// Costs of the calls of chapter "Longer": by the core's count, and in milliseconds.
import {
  asHead,
  inputs,
  maskOf,
  pooling,
  type Given,
  type MaskKind,
  type Replaced,
} from './longer';
import { upload } from '../../shared/lessons/matrices';
import type { Call } from './timed';

export interface LongerCall {
  readonly given: Given;
  readonly edits: readonly Replaced[];
  readonly mask: MaskKind;
  /** Online and full attention, the plain product in both orders, attention to averages of keys. */
  readonly call: 'online' | 'full' | 'scoresFirst' | 'valuesFirst' | 'lowRank';
  /** Number of averages, at most the number of keys. */
  readonly rank: number;
}

export const longerCall: Call<LongerCall> = (tril, { given, edits, mask, call, rank }) => {
  const all = inputs(tril, given, edits);
  const options = maskOf(tril, mask);
  const sizes = {
    ...{ queries: all.q.rows, keys: all.k.rows },
    ...{ width: all.q.cols, valueWidth: all.v.cols },
  };
  const plain = { ...sizes, featureMap: 'identity', normalise: false } as const;
  const { cost } = tril;
  const counts = {
    online: () => cost.attention({ ...sizes, ...options, method: 'online' }),
    full: () => cost.attention({ ...sizes, ...options, method: 'full' }),
    scoresFirst: () => cost.linearAttention({ ...plain, order: 'scores_first' }),
    valuesFirst: () => cost.linearAttention({ ...plain, order: 'values_first' }),
    lowRank: () => cost.lowRankAttention({ ...sizes, rank }),
  };
  return {
    cost: counts[call](),
    prepare() {
      const [q, k, v] = [all.q, all.k, all.v].map((one) => upload(tril, one));
      const [qh, kh, vh] = [all.q, all.k, all.v].map((one) => asHead(tril, one));
      const e = pooling(tril, rank, sizes.keys);
      const calls = {
        online: () => tril.attention(qh, kh, vh, { ...options, method: 'online' }),
        full: () => tril.attention(qh, kh, vh, { ...options, method: 'full' }),
        scoresFirst: () => tril.matmul(tril.matmul(q, k, { transposeB: true }), v),
        valuesFirst: () => tril.matmul(q, tril.matmul(k, v, { transposeA: true })),
        lowRank: () => tril.lowRankAttention(qh, kh, vh, { e, f: e }),
      };
      return calls[call];
    },
  };
};
