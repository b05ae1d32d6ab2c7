// What chapter "Mask" shows, on the core. There is no arithmetic here.
import type { Mask, Tensor, Tril } from 'tril';
import { headWeights, positions, type HeadWeights } from '../handmade/attend-heads';
import {
  hides,
  type GarbageId,
  type HideId,
  type MaskRules,
  type RuleId,
  type ScoreId,
} from './mask-rules';
import { inputOf } from './attend';
import type { Answers } from '../answers';
import type { Content, CostData, MatrixData } from '../protocol';
import type { Speed } from '../steady';
import { blocksAnswers, withOther, type BlocksLessons } from './mask-blocks';
import { costData, download, upload } from './matrices';
import { timed } from './timed';

export interface MaskAsk {
  readonly content: Content;
  readonly scores: ScoreId;
  readonly seed: number;
  readonly rules: MaskRules;
  readonly hide: HideId;
}

/** One attention under a mask, [T, T] but for `output`, [T, D]. */
export interface Masked {
  /** What softmax gets. */
  readonly masked: MatrixData;
  readonly weights: MatrixData;
  readonly output: MatrixData;
}

export interface MaskAnswer extends Masked {
  readonly scores: MatrixData;
  /** 0, or -inf where all rules together hide. */
  readonly mask: MatrixData;
  /** The same for each rule by itself. */
  readonly single: Readonly<Partial<Record<RuleId, MatrixData>>>;
  readonly values: MatrixData;
  /** [T, 1]: of every row of weights, all of it and what lies on hidden keys. */
  readonly sums: MatrixData;
  readonly leaks: MatrixData;
  /** -inf - (-inf): the first step of softmax where everything is hidden, done without care. */
  readonly naive: number;
  /** Of attention to the queries, keys and values. */
  readonly cost: CostData;
}

export interface FutureAsk extends MaskAsk {
  /** The first token that is overwritten. */
  readonly cut: number;
  readonly garbage: GarbageId;
}

export interface FutureAnswer {
  /** Of the input as it was, and overwritten, by one and the same call. */
  readonly outputs: readonly [MatrixData, MatrixData];
  /** What they are made of. */
  readonly given: {
    readonly x: MatrixData;
    readonly overwritten: MatrixData;
    readonly weights: HeadWeights;
    readonly mask: MatrixData;
  };
  /** Of the attention of one of them. */
  readonly cost: CostData;
}

export interface MaskLessons extends BlocksLessons {
  mask: { ask: MaskAsk; answer: MaskAnswer };
  /** Milliseconds of attention() under the mask. */
  maskTime: { ask: MaskAsk; answer: Speed };
  future: { ask: FutureAsk; answer: FutureAnswer };
}

const headWidth = 4;

/** Random weights without a name, small enough that softmax does not saturate. */
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

/** The core's mask for one rule; null where it is not there. */
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

/** What a mask adds to scores. */
const added = (tril: Tril, mask: Mask, size: number): MatrixData =>
  download(tril.mask.toTensor(mask, [size, size]));

interface Head {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

/** As one batch of one head. */
const asBatch = (tril: Tril, { q, k, v }: Head) =>
  [q, k, v].map((matrix) => tril.tensor([1, 1, ...matrix.shape], matrix.read()));

function attendMasked(tril: Tril, head: Head, mask: Mask, sum: MatrixData, hide: HideId): Masked {
  const [q, k, v] = asBatch(tril, head);
  if (hide === 'infinity' || hide === 'large') {
    const large = upload(tril, withOther(sum, -Infinity, -1e9));
    const used = hide === 'infinity' ? mask : tril.mask.dense(large, { kind: 'additive' });
    const { output, trace } = tril.attention(q, k, v, { mask: used, trace: true });
    const { masked, weights } = trace;
    return { masked: download(masked), weights: download(weights), output: download(output) };
  }
  // [1, 0] for visible and hidden.
  const visible = upload(tril, withOther(withOther(sum, 0, 1), -Infinity, 0));
  const scores = download(tril.attention(q, k, v, { trace: true }).trace.scores);
  const masked = hide === 'zero' ? download(tril.multiply(visible, upload(tril, scores))) : scores;
  const whole = tril.softmax(upload(tril, masked));
  const weights = hide === 'zero' ? whole : tril.multiply(visible, whole);
  return {
    masked,
    weights: download(weights),
    output: download(tril.matmul(weights, head.v)),
  };
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

/** Sums of rows, [T, 1]. */
function rowSums(tril: Tril, matrix: Tensor): MatrixData {
  const ones = tril.tensor([matrix.shape[1], 1], new Float32Array(matrix.shape[1]).fill(1));
  return download(tril.matmul(matrix, ones));
}

interface Prepared {
  readonly x: MatrixData;
  readonly weights: HeadWeights;
  readonly single: Partial<Record<RuleId, Mask>>;
  readonly mask: Mask;
  readonly sum: MatrixData;
}

function prepare(tril: Tril, ask: MaskAsk): Prepared {
  const x = inputOf(tril, ask.content, positions);
  const single = masksOf(tril, ask.rules, x.rows);
  const mask = tril.mask.and(...Object.values(single));
  const sum = added(tril, mask, x.rows);
  return { x, weights: weightsFor(tril, ask, x.cols), single, mask, sum };
}

/** Rows from `cut` on are other numbers. */
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
    const { x, weights: given, single, mask, sum } = prepare(tril, ask);
    const head = headOf(tril, x, given);
    const result = attendMasked(tril, head, mask, sum, ask.hide);
    const hidden = withOther(sum, -Infinity, 1);
    const weights = upload(tril, result.weights);
    const infinities = tril.tensor([2, 1], [-Infinity, -Infinity]);
    return {
      ...result,
      scores: download(tril.attention(head.q, head.k, head.v, { trace: true }).trace.scores),
      mask: sum,
      single: Object.fromEntries(
        Object.entries(single).map(([rule, one]) => [rule, added(tril, one, x.rows)]),
      ),
      values: download(head.v),
      sums: rowSums(tril, weights),
      leaks: rowSums(tril, tril.multiply(upload(tril, hidden), weights)),
      cost: costOf(tril, head, mask),
      naive: tril.matmul(tril.tensor([[1, -1]]), infinities).read()[0],
    };
  },

  maskTime(tril, ask) {
    const { x, weights, mask } = prepare(tril, ask);
    const head = headOf(tril, x, weights);
    const [q, k, v] = asBatch(tril, head);
    return timed(tril, ['mask', ask.rules, v.shape], costOf(tril, head, mask), () =>
      tril.attention(q, k, v, { mask, method: 'full' }),
    );
  },

  future(tril, ask) {
    const { x, weights, mask, sum } = prepare(tril, ask);
    const other = overwritten(tril, x, ask);
    const made = [x, other].map((input) => headOf(tril, input, weights));
    const [one, two] = made.map((head) => attendMasked(tril, head, mask, sum, ask.hide).output);
    return {
      outputs: [one, two],
      given: { x, overwritten: other, weights, mask: sum },
      cost: costOf(tril, made[0], mask),
    };
  },
};
