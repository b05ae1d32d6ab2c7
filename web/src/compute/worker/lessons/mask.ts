// The answers of chapter "Mask", computed by the core. There is no arithmetic here.
import type { Mask, Tensor, Tril } from 'tril';
import { run } from 'tril/graph';
import { headWeights, positions, type HeadWeights } from '../../shared/handmade/attend-heads';
import { futureGraphs, maskGraphs } from '../../shared/handmade/mask-graph';
import {
  hides,
  type GarbageId,
  type HideId,
  type MaskRules,
  type RuleId,
  type ScoreId,
} from '../../shared/lessons/mask-rules';
import { inputOf } from './attend';
import type { Answers } from '../answers';
import type { Content, CostData, MatrixData } from '../../page/protocol';
import type { Speed } from '../../shared/steady';
import { allNumbers, type NodeValues } from './graph';
import { blocksAnswers, type BlocksLessons } from './mask-blocks';
import { costData, download, upload } from '../../shared/lessons/matrices';
import { timed } from './timed';

export interface MaskAsk {
  readonly content: Content;
  readonly scores: ScoreId;
  readonly seed: number;
  readonly rules: MaskRules;
  readonly hide: HideId;
}

export interface MaskAnswer {
  /** Values of the graph with the requested treatment of hidden cells. */
  readonly values: NodeValues;
  /** The additive mask of each single rule: 0, or -inf where it hides. */
  readonly single: Readonly<Partial<Record<RuleId, MatrixData>>>;
  /** -inf - (-inf): the first step of a careless softmax of a row with everything hidden. */
  readonly naive: number;
  /** Cost of attention to the queries, keys and values. */
  readonly cost: CostData;
}

export interface FutureAsk extends MaskAsk {
  /** The first token that is overwritten. */
  readonly cut: number;
  readonly garbage: GarbageId;
}

export interface FutureAnswer {
  /** Values for the original and the overwritten input. */
  readonly values: NodeValues;
  /** Cost of the attention of one of them. */
  readonly cost: CostData;
}

export interface MaskLessons extends BlocksLessons {
  mask: { ask: MaskAsk; answer: MaskAnswer };
  /** Milliseconds of attention() under the mask. */
  maskTime: { ask: MaskAsk; answer: Speed };
  future: { ask: FutureAsk; answer: FutureAnswer };
}

const headWidth = 4;

/** Random weights without meaning, small enough that softmax does not saturate. */
function randomWeights(tril: Tril, inputs: number, seed: number): HeadWeights {
  const [wq, wk, wv] = [0, 1, 2].map((which) =>
    download(
      tril.randomUniform([headWidth, inputs], { seed: 3 * seed + which, low: -0.8, high: 0.8 }),
    ),
  );
  return { wq, wk, wv };
}

function weightsFor(tril: Tril, ask: MaskAsk, inputs: number): HeadWeights {
  if (ask.scores === 'random') return randomWeights(tril, inputs, ask.seed);
  const width = inputs - 1 - positions.width;
  const head = ask.scores === 'same' ? 'same' : 'average';
  return headWeights(head, width, ask.content.kind === 'tokens');
}

/** The core's mask for one rule; null if the rule has none. */
function ruleMask(tril: Tril, rule: RuleId, given: MaskRules, size: number): Mask | null {
  switch (rule) {
    case 'causal':
      return tril.mask.causal();
    case 'padding':
      return tril.mask.padding([Math.min(given.length, size)]);
    case 'window':
      return tril.mask.window({ left: given.left, right: given.right });
    case 'strided':
      return tril.mask.strided({ local: given.local, stride: given.stride });
    case 'drawn': {
      const { drawn } = given;
      if (!drawn) return null;
      const visible = Array.from({ length: size * size }, (_, i) =>
        hides(drawn, Math.floor(i / size), i % size) ? 0 : 1,
      );
      return tril.mask.dense(tril.tensor([size, size], visible), { kind: 'boolean' });
    }
  }
}

function masksOf(tril: Tril, rules: MaskRules, size: number): Partial<Record<RuleId, Mask>> {
  const made: Partial<Record<RuleId, Mask>> = {};
  for (const rule of rules.rules) {
    const mask = ruleMask(tril, rule, rules, size);
    if (mask) made[rule] = mask;
  }
  return made;
}

/** A mask as numbers added to the scores. */
const added = (tril: Tril, mask: Mask, size: number): Tensor =>
  tril.mask.toTensor(mask, [size, size]);

interface Head {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

function headOf(tril: Tril, x: MatrixData, weights: HeadWeights): Head {
  const input = upload(tril, x);
  const [q, k, v] = [weights.wq, weights.wk, weights.wv].map((weight) =>
    tril.linear(input, upload(tril, weight)),
  );
  return { q, k, v };
}

function costOf(tril: Tril, { q, v }: Head, mask: Mask): CostData {
  const [[length, width], [, valueWidth]] = [q.shape, v.shape];
  const sizes = { queries: length, keys: length, width, valueWidth };
  return costData(tril, tril.cost.attention({ ...sizes, mask, method: 'full' }));
}

interface Prepared {
  readonly x: MatrixData;
  readonly weights: HeadWeights;
  readonly single: Partial<Record<RuleId, Mask>>;
  readonly mask: Mask;
  readonly M: Tensor;
}

function prepare(tril: Tril, ask: MaskAsk): Prepared {
  const x = download(inputOf(tril, ask.content, positions));
  const single = masksOf(tril, ask.rules, x.rows);
  const mask = tril.mask.and(...Object.values(single));
  const M = added(tril, mask, x.rows);
  return { x, weights: weightsFor(tril, ask, x.cols), single, mask, M };
}

/** Overwrites the rows from `cut` on. */
function overwritten(tril: Tril, x: MatrixData, { cut, garbage }: FutureAsk): MatrixData {
  const from = cut * x.cols;
  const data = x.data.slice();
  if (garbage === 'other') {
    const other = tril.randomNormal([x.rows, x.cols], { seed: 1 }).read();
    data.set(other.subarray(from), from);
  } else {
    data.fill(garbage === 'huge' ? 1e6 : NaN, from);
  }
  return { ...x, data };
}

export const maskAnswers: Answers<MaskLessons> = {
  ...blocksAnswers,

  mask(tril, ask) {
    const { x, weights, single, mask, M } = prepare(tril, ask);
    const { q, k, v } = headOf(tril, x, weights);
    const { scores } = tril.attention(q, k, v, { trace: true }).trace;
    const values = run(tril, maskGraphs[ask.hide], { scores, M, V: v });
    const infinities = tril.tensor([2, 1], [-Infinity, -Infinity]);
    return {
      values: allNumbers(values),
      single: Object.fromEntries(
        Object.entries(single).map(([rule, one]) => [rule, download(added(tril, one, x.rows))]),
      ),
      cost: costOf(tril, { q, k, v }, mask),
      naive: tril.matmul(tril.tensor([[1, -1]]), infinities).read()[0],
    };
  },

  maskTime(tril, ask) {
    const { x, weights, mask } = prepare(tril, ask);
    const head = headOf(tril, x, weights);
    const { q, k, v } = head;
    return timed(tril, ['mask', ask.rules, v.shape], costOf(tril, head, mask), () =>
      tril.attention(q, k, v, { mask, method: 'full' }),
    );
  },

  future(tril, ask) {
    const { x, weights, mask, M } = prepare(tril, ask);
    const [X_before, X_after] = [x, overwritten(tril, x, ask)].map((one) => upload(tril, one));
    const [W_Q, W_K, W_V] = [weights.wq, weights.wk, weights.wv].map((one) => upload(tril, one));
    const inputs = { X_before, X_after, W_Q, W_K, W_V, M };
    return {
      values: allNumbers(run(tril, futureGraphs[ask.hide], inputs)),
      cost: costOf(tril, headOf(tril, x, weights), mask),
    };
  },
};
