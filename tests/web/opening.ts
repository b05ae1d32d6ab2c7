// Every default matrix of each chapter, computed in Node on the package: the reference for `readback.spec`.
import type { Tensor } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import { rowsOf, type Rows } from './lessons.ts';
import { chapter, contentOf, idsOf } from './oracle.ts';
import * as block from './oracles/block.ts';
import { bugCase } from './oracles/check.ts';
import * as heads from './oracles/heads.ts';
import * as learn from './oracles/learn.ts';
import * as longer from './oracles/longer.ts';
import * as mask from './oracles/mask.ts';
import * as model from './oracles/model.ts';
import * as towers from './oracles/towers.ts';
import * as write from './oracles/write.ts';

export type Opening = Readonly<Record<string, Rows>>;

/** Tensors as rows. */
const all = (tensors: Readonly<Record<string, Tensor>>): Opening =>
  Object.fromEntries(Object.entries(tensors).map(([id, tensor]) => [id, rowsOf(tensor)]));

function multiply(core: Tril): Opening {
  const [a, b] = [
    [
      [1, 2, 0, -1],
      [3, 1, 2, 1],
      [0, -2, 1, 4],
    ],
    [
      [2, 1],
      [0, 3],
      [-1, 2],
      [4, 1],
    ],
  ];
  const [sa, sb] = [
    [
      [1, 2, 0, 1],
      [3, 1, 2, 0],
      [0, 1, 4, 2],
      [2, 0, 1, 3],
    ],
    [
      [2, 0, 1, 1],
      [1, 3, 0, 2],
      [0, 1, 2, 1],
      [4, 1, 0, 3],
    ],
  ];
  const level = core.strassenLevel(core.tensor(sa), core.tensor(sb));
  const c = rowsOf(core.matmul(core.tensor(a), core.tensor(b)));
  return {
    ...{ a, b, sa, sb },
    c: [...c.slice(0, -1), [c[2][0], 0]], // one dot product is left to do
    ...all({ left: level.left, right: level.right, product: level.products }),
    sc: rowsOf(core.matmul(core.tensor(sa), core.tensor(sb))),
  };
}

function average(core: Tril): Opening {
  const x = [
    [2, 7],
    [6, 4],
    [6, 5],
  ];
  const way = (method: 'loops' | 'matrix' | 'softmax') =>
    core.runningAverage(core.tensor([x]), { method });
  const [loops, matrix, softmax] = [way('loops'), way('matrix'), way('softmax')];
  return {
    x,
    ...all({ loops: loops.output, matrix: matrix.output, softmax: softmax.output }),
    ...all({ ones: matrix.mask!, rows: matrix.weights! }),
    ...all({ mask: softmax.mask!, soft: softmax.weights! }),
  };
}

async function attend(core: Tril): Promise<Opening> {
  const words = 'the cat saw the dog chase the cat'.split(' ');
  const content = idsOf(words).map(contentOf);
  const head = { head: 'same', causal: true, tokens: true } as const;
  const { masked: hidden, weights } = await chapter({ content, ...head });
  const row = [[1, 2, 3, 4]];
  const [naive, stable] = [false, true].map((way) =>
    core.softmaxSteps(core.tensor(row), { stable: way }),
  );
  const [q, k] = [1, 2].map((seed) => core.randomNormal([1, 1, 8, 64], { seed }));
  const v = core.zeros([1, 1, 8, 1]);
  return {
    ...{ masked: hidden, weights, row },
    ...all({ naivePowers: naive.powers, naive: naive.output }),
    ...all({ stablePowers: stable.powers, stable: stable.output }),
    plainWeights: rowsOf(core.attention(q, k, v, { scale: 1, trace: true }).trace.weights),
    scaledWeights: rowsOf(core.attention(q, k, v, { trace: true }).trace.weights),
  };
}

async function masked(core: Tril): Promise<Opening> {
  const [q, k, v] = await mask.headOf(mask.input);
  const { output, trace } = core.attention(q, k, v, { causal: true, trace: true });
  const { size } = mask;
  const square = (rows: number, cols: number, cell: (row: number, col: number) => number) =>
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: cols }, (__, col) => cell(row, col)),
    );
  /** The share of visible pairs in each block of 64 queries and 128 keys. */
  const seen = (row: number, col: number) => {
    let pairs = 0;
    for (let t = 64 * row; t < 64 * (row + 1); ++t) {
      pairs += Math.max(0, Math.min(128, t - 128 * col + 1));
    }
    return pairs / (64 * 128);
  };
  return {
    ...all({ scores: trace.scores, masked: trace.masked, weights: trace.weights, values: v }),
    ...all({ output, before: output, after: output }),
    mask: square(size, size, (t, s) => (s <= t ? 0 : -Infinity)),
    blocks: square(512 / 64, 512 / 128, seen),
  };
}

async function divided(core: Tril): Promise<Opening> {
  const [first, second] = await heads.circuit([...heads.ids], true);
  const packed = (which: 'q' | 'k' | 'v') => heads.sideBySide(first.map((head) => head[which]));
  const [q, k, v] = [packed('q'), packed('k'), packed('v')];
  const maps = [1, 2, 4].flatMap((count) => {
    const width = q[0].length / count;
    return Array.from({ length: count }, (_, head) => {
      const part = (rows: Rows) =>
        core.tensor(rows.map((row) => row.slice(head * width, (head + 1) * width)));
      const { trace } = core.attention(part(q), part(k), part(v), { causal: true, trace: true });
      return [`wide${count}-${head + 1}`, rowsOf(trace.weights)] as const;
    });
  });
  return {
    x: heads.inputOf(heads.ids),
    chosen: rowsOf(second[0].weights),
    ...Object.fromEntries(maps),
  };
}

function blocks(core: Tril): Opening {
  const of = (tokens: number[]) =>
    rowsOf(block.blockOf(core, block.inputOf(core, tokens, true), 'post').output);
  const rearranged = of(block.ids).reverse();
  const reordered = of([...block.ids].reverse());
  const given = [
    [1, 2, 3, 6],
    [10, 20, 30, 60],
    [-5, 5, -5, 5],
    [4, 4, 4, 5],
  ];
  return {
    ...all({
      words: block.inputOf(core, block.ids, false),
      places: core.sinusoidalPositions(block.ids.length, 8),
      x: block.inputOf(core, block.ids, true),
    }),
    ...{ rearranged, reordered, given },
    gap: reordered.map((row, r) => row.map((value, c) => value - rearranged[r][c])),
    normed: block.normed(given),
  };
}

function twoTowers(core: Tril): Opening {
  const given = towers.masks();
  const { trace } = towers.towers(core, 'place', given);
  const [{ weights: sourceWeights }] = trace.encoder;
  const [{ weights: targetWeights, crossAttention }] = trace.decoder;
  const added = (rows: Rows) => rows.map((row) => row.map((sees) => (sees ? 0 : -Infinity)));
  const cross = all({
    ...{ q: crossAttention.queries, k: crossAttention.keys, v: crossAttention.values },
    ...{ scores: crossAttention.masked, weights: crossAttention.weights },
    heads: crossAttention.heads,
  });
  const additive = towers.additiveScores(cross.q, cross.k, 'place');
  return {
    ...cross,
    sourceMask: added(given.source),
    targetMask: added(given.target),
    memoryMask: added(given.memory),
    ...all({ sourceWeights, targetWeights, memoryWeights: crossAttention.weights }),
    ...{ dot: cross.scores, dotWeights: cross.weights, additive },
    additiveWeights: rowsOf(core.softmax(core.tensor(additive))),
  };
}

function long(core: Tril): Opening {
  const [q, k, v] = longer.inputs(core);
  const scores = core.matmul(q, k, { transposeB: true });
  const product = core.matmul(scores, v);
  const options = { order: 'scores_first', needWeights: true } as const;
  return {
    ...all({
      ...{ q, k, v, scores, left: product, right: product },
      pairs: core.matmul(k, v, { transposeA: true }),
      soft: core.attention(q, k, v, { trace: true }).trace.weights,
      features: core.linearAttention(q, k, v, options).weights!,
      out: core.attention(q, k, v, { causal: true }).output,
    }),
    ...longer.secondBlock(core, q, k, v),
  };
}

function oneStep(): Opening {
  const made = learn.forward(learn.first);
  return {
    ...{ wv: made.wv, dwv: learn.gradient(learn.first, 'wv') },
    ...{ said: made.output.map((row) => learn.softmax(row)) },
    loss: learn.surprises(made).map((one) => [one]),
  };
}

/**
 * The matrices of each chapter, and the largest number in their sums of up to 25 products, several in a row: variants
 * of the core may round differently.
 */
export const openings: Readonly<
  Record<string, { numbers: (core: Tril) => Opening | Promise<Opening>; largest: number }>
> = {
  multiply: { numbers: multiply, largest: 0 },
  average: { numbers: average, largest: 8 },
  attend: { numbers: attend, largest: 8 },
  mask: { numbers: masked, largest: 4 },
  heads: { numbers: divided, largest: 26 },
  block: { numbers: blocks, largest: 8 },
  towers: { numbers: twoTowers, largest: 100 },
  longer: { numbers: long, largest: 32 },
  check: { numbers: (core) => bugCase(core, 1), largest: 8 },
  write: { numbers: write.opening, largest: 32 },
  learn: { numbers: oneStep, largest: 8 },
  meaning: { numbers: () => ({}), largest: 0 }, // its numbers are in tables
  model: { numbers: async () => ({ head: await model.headOf(1, 1) }), largest: 1 },
};
