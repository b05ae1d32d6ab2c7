import { graph, type Calls, type GraphEdit, type Value } from '../../graph/index.js';
import {
  along,
  make,
  scaled,
  shapesOf,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';

const sized = (
  name: string,
  [T, S, D]: readonly [number, number, number],
  block: number,
): ExerciseCase => ({
  name,
  inputs: { Q: { shape: [T, D] }, K: { shape: [S, D] }, V: { shape: [S, D] } },
  numbers: { block },
});

/** The numbers of the blocks of a case, the last of which may be smaller. */
function blocksOf({ inputs, numbers }: ExerciseCase): number[] {
  const [keys, size] = [inputs.K!.shape[0]!, numbers!.block!];
  return Array.from({ length: Math.ceil(keys / size) }, (_, i) => i);
}

/** Edits of each block, and of each but the first, which has nothing before it. */
const ofEach = (of: ExerciseCase, edits: (i: number) => readonly GraphEdit[]) =>
  blocksOf(of).flatMap(edits);
const ofLater = (of: ExerciseCase, edits: (i: number) => readonly GraphEdit[]) =>
  blocksOf(of).slice(1).flatMap(edits);

/** The state of each row after a block. */
interface Row {
  readonly most: Value;
  readonly total: Value;
  readonly blend: Value;
}

/** The scores of a block, and the largest scores, sums and blends up to it. */
function step(
  c: Calls,
  { Q, keys, values, root }: Readonly<Record<'Q' | 'keys' | 'values' | 'root', Value>>,
  before: Row | undefined,
) {
  const product = c.matmul(Q, c.transpose(keys));
  const scores = c.divide(product, root);
  const top = c.max(scores, along(-1));
  const most = before ? c.maximum(before.most, top) : top;
  const shifted = c.subtract(scores, most);
  const e = c.exp(shifted);
  const sum = c.sum(e, along(-1));
  const part = c.matmul(e, values);
  const own = { keys, values, product, scores, shifted, e };
  if (!before) return { ...own, most, total: sum, blend: part };
  const gap = c.subtract(before.most, most);
  const keep = c.exp(gap);
  const kept_total = c.multiply(before.total, keep);
  const kept_blend = c.multiply(before.blend, keep);
  const [total, blend] = [c.add(kept_total, sum), c.add(kept_blend, part)];
  return { ...own, top, most, sum, part, gap, keep, kept_total, kept_blend, total, blend };
}

/** A mistake: each block has its own softmax and blend, and the blends are added. */
function apart(of: ExerciseCase): readonly GraphEdit[] {
  const blocks = blocksOf(of);
  if (blocks.length === 1) return [];
  const last = blocks.length - 1;
  return [
    ...blocks.flatMap((i) => [
      make(`own_${i}`, 'softmax', [`scores_${i}`]),
      make(`own_blend_${i}`, 'matmul', [`own_${i}`, `values_${i}`]),
    ]),
    make('until_0', 'multiply', ['own_blend_0', 'one']),
    ...blocks.slice(1).map((i) => make(`until_${i}`, 'add', [`until_${i - 1}`, `own_blend_${i}`])),
    { replace: 'output', operation: 'multiply', inputs: [`until_${last}`, 'one'], options: {} },
  ];
}

/** Mistakes: nothing of the earlier blocks is kept except the largest score, or not even that. */
const forgetting: readonly Mistake[] = [false, true].map((scores) => ({
  id: 'last-block',
  says: 'only the last block counts: sum and blend of those before it are lost',
  edits: (of) =>
    ofLater(of, (i) => [
      { remove: `total_${i}`, instead: `sum_${i}` },
      { remove: `blend_${i}`, instead: `part_${i}` },
      ...(scores ? [{ remove: `most_${i}`, instead: `top_${i}` }] : []),
    ]),
}));

const scaling: readonly Mistake[] = [
  {
    id: 'no-scale',
    says: 'the scores are not divided by the root of the width of a head',
    edits: (of) => ofEach(of, (i) => [{ remove: `scores_${i}` }]),
  },
  {
    id: 'scale-by-width',
    says: 'the scores are divided by the width, not by its root',
    edits: () => [{ remove: 'root' }],
  },
];

/** Attention that never holds a whole row of scores. */
export const onlineSoftmax: Exercise = {
  id: 'online-softmax',
  title: 'Softmax over blocks of keys',
  task: 'Q, K and V have the shapes [T, D], [S, D] and [S, E]. Return softmax(Q K^T / sqrt(D)) V, but take `block` keys and values at a time (the last block may be smaller). Of each row keep no more than its largest score, its sum and its blend.',
  skeleton: `import numpy as np

def online_attention(Q, K, V, block):
    T, D = Q.shape
    most = np.full((T, 1), -np.inf)
    total = np.zeros((T, 1))
    blend = np.zeros((T, V.shape[1]))
    for start in range(0, K.shape[0], block):
        keys, values = K[start:start + block], V[start:start + block]
    # return blend / total
`,
  hints: [
    'Keep the largest score so far, the sum of e^(score - largest), and the blend with these weights, which the sum divides at the end.',
    'Where a block brings a larger score, all that was added up before is too large: multiply it by e^(largest before - largest now).',
    'keep = e^(most - new), e = e^(scores - new); then total = total keep + sum of e, and blend = blend keep + e values, and most = new.',
  ],
  name: 'online_attention',
  parameters: ['Q', 'K', 'V', 'block'],
  results: ['output'],
  cases: [
    sized('7 keys, 3 at a time', [5, 7, 4], 3),
    sized('one block', [3, 4, 2], 4),
    sized('one key at a time', [4, 5, 3], 1),
    // Two blocks: in some rows the first has the larger score, in some the second.
    scaled('large scores', sized('', [6, 7, 4], 4), 20, ['Q', 'K']),
  ],
  large: sized('1024 tokens', [1024, 1024, 64], 128),
  beside: (tril, { Q, K, V }) => tril.attention(Q!, K!, V!),
  graph: (of) =>
    graph(shapesOf(of), ({ Q, K, V }, c) => {
      const width = c.number(of.inputs.Q!.shape[1]!);
      const root = c.sqrt(width);
      const size = of.numbers!.block!;
      const named: Record<string, Value> = { width, root };
      let row: Row | undefined;
      for (const i of blocksOf(of)) {
        const stop = Math.min((i + 1) * size, of.inputs.K!.shape[0]!);
        const [keys, values] = [K!, V!].map((x) => c.slice(x, { start: i * size, stop }));
        const made = step(c, { Q: Q!, keys: keys!, values: values!, root }, row);
        for (const [name, value] of Object.entries(made)) named[`${name}_${i}`] = value;
        row = made;
      }
      return { ...named, output: c.divide(row!.blend, row!.total) };
    }),
  mistakes: [
    {
      id: 'not-rescaled',
      says: 'sum and blend are not made smaller where a block brings a larger score',
      edits: (of) =>
        ofLater(of, (i) => [{ remove: `kept_total_${i}` }, { remove: `kept_blend_${i}` }]),
    },
    {
      id: 'blend-not-rescaled',
      says: 'the blend is not made smaller where a block brings a larger score, only the sum is',
      edits: (of) => ofLater(of, (i) => [{ remove: `kept_blend_${i}` }]),
    },
    {
      id: 'sum-not-rescaled',
      says: 'the sum is not made smaller where a block brings a larger score, only the blend is',
      edits: (of) => ofLater(of, (i) => [{ remove: `kept_total_${i}` }]),
    },
    {
      id: 'turned',
      says: 'sum and blend become larger where a block brings a larger score: it is e^(before - now)',
      edits: (of) =>
        ofLater(of, (i) => [{ replace: `gap_${i}`, inputs: [`most_${i}`, `most_${i - 1}`] }]),
    },
    ...forgetting,
    {
      id: 'each-block',
      says: 'each block has a softmax of its own: the weights of a row add up to 1 over all blocks',
      edits: (of) => [make('one', 'number', [], { value: 1 }), ...apart(of)],
    },
    {
      id: 'overflow',
      says: 'the largest score is not taken off: e^score overflows where scores are large',
      edits: (of) => [
        ...ofEach(of, (i) => [{ remove: `shifted_${i}` }]),
        ...ofLater(of, (i) => [{ remove: `kept_total_${i}` }, { remove: `kept_blend_${i}` }]),
      ],
    },
    {
      id: 'block-max',
      says: 'the largest score is that of the block alone: where one before it was larger, e^(before - now) overflows',
      edits: (of) => ofLater(of, (i) => [{ remove: `most_${i}`, instead: `top_${i}` }]),
    },
    {
      id: 'rest',
      says: 'the keys at the end that do not fill a block are left out',
      edits: (of) => {
        const [keys, last] = [of.inputs.K!.shape[0]!, blocksOf(of).length - 1];
        if (keys % of.numbers!.block! === 0) return [];
        return [{ replace: 'output', inputs: [`blend_${last - 1}`, `total_${last - 1}`] }];
      },
    },
    {
      id: 'no-division',
      says: 'the blend is not divided by the sum',
      edits: () => [{ remove: 'output' }],
    },
    ...scaling,
    {
      id: 'keys-for-values',
      says: 'the weights are multiplied by the keys; the output is a blend of the values',
      edits: (of) =>
        ofEach(of, (i) => [
          { rewire: i === 0 ? 'blend_0' : `part_${i}`, input: 'b', to: `keys_${i}` },
        ]),
    },
  ],
};
