// What the calls of chapter "Longer" cost: by the core's count, and in milliseconds.
import type { Cost } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Answers } from '../answers';
import type { CostData } from '../protocol';
import type { Speed } from '../steady';
import {
  asHead,
  inputs,
  maskOf,
  pooling,
  type Given,
  type MaskKind,
  type Replaced,
} from './longer';
import { costData, upload } from './matrices';
import { timed } from './timed';

export interface LongerCall {
  readonly given: Given;
  readonly edits: readonly Replaced[];
  readonly mask: MaskKind;
  /** Online and full attention, the plain product in both orders, attention to averages of keys. */
  readonly call: 'online' | 'full' | 'scoresFirst' | 'valuesFirst' | 'lowRank';
  /** To how many averages, at most as many as there are keys. */
  readonly rank: number;
}

export interface LongerCostLessons {
  longerCost: { ask: LongerCall; answer: CostData };
  longerTime: { ask: LongerCall; answer: Speed };
}

function costOf(
  tril: Tril,
  { mask, call, rank }: LongerCall,
  { q, k, v }: ReturnType<typeof inputs>,
): Cost {
  const sizes = { queries: q.rows, keys: k.rows, width: q.cols, valueWidth: v.cols };
  const plain = { ...sizes, featureMap: 'identity', normalise: false } as const;
  const { cost } = tril;
  const counts = {
    online: () => cost.attention({ ...sizes, ...maskOf(tril, mask), method: 'online' }),
    full: () => cost.attention({ ...sizes, ...maskOf(tril, mask), method: 'full' }),
    scoresFirst: () => cost.linearAttention({ ...plain, order: 'scores_first' }),
    valuesFirst: () => cost.linearAttention({ ...plain, order: 'values_first' }),
    lowRank: () => cost.lowRankAttention({ ...sizes, rank }),
  };
  return counts[call]();
}

export const longerCostAnswers: Answers<LongerCostLessons> = {
  longerCost: (tril, ask) => costData(tril, costOf(tril, ask, inputs(tril, ask.given, ask.edits))),

  longerTime(tril, ask) {
    const { given, edits, mask, call, rank } = ask;
    const made = inputs(tril, given, edits);
    const [q, k, v] = [made.q, made.k, made.v].map((one) => upload(tril, one));
    const [qh, kh, vh] = [made.q, made.k, made.v].map((one) => asHead(tril, one));
    const options = maskOf(tril, mask);
    const e = pooling(tril, rank, made.k.rows);
    const calls = {
      online: () => tril.attention(qh, kh, vh, { ...options, method: 'online' }),
      full: () => tril.attention(qh, kh, vh, { ...options, method: 'full' }),
      scoresFirst: () => tril.matmul(tril.matmul(q, k, { transposeB: true }), v),
      valuesFirst: () => tril.matmul(q, tril.matmul(k, v, { transposeA: true })),
      lowRank: () => tril.lowRankAttention(qh, kh, vh, { e, f: e }),
    };
    const sizes = [rank, made.q.rows, made.k.rows, made.q.cols, made.v.cols];
    return timed(tril, ['longer', call, mask, ...sizes], costOf(tril, ask, made), calls[call]);
  },
};
