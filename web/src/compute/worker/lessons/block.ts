// What chapter "Block" shows, on the core. There is no arithmetic here.
import type { Activation, Tensor, Tril } from 'tril';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { composedBlock, randomWeights, type BlockForm, type Part } from './block-parts';
import { download, upload } from '../../shared/lessons/matrices';
import { apart, moments, norm, type Moments } from './sums';

export const sizes = { width: 8, heads: 2, hidden: 16 } as const;
/** Of the stack of blocks, which only its norms are shown of. */
export const deepSizes = { width: 32, heads: 4, hidden: 128, tokens: 8 } as const;

export interface BlockAsk {
  /** The number of every token. */
  readonly ids: readonly number[];
  readonly edits: readonly { readonly row: number; readonly col: number; readonly value: number }[];
  readonly positions: 'none' | 'sinusoidal' | 'rotary';
  readonly norm: 'post' | 'pre';
  readonly activation: Activation;
  readonly causal: boolean;
  readonly off: readonly Part[];
  readonly seed: number;
}

export interface BlockAnswer {
  /** By stage, `[T, C]` and the like. */
  readonly whole: Readonly<Record<string, MatrixData>>;
  /** A head each. */
  readonly perHead: Readonly<Record<string, readonly MatrixData[]>>;
  /** How large each token's row is as it flows, stage by stage; and so for the whole block. */
  readonly flow: Flow;
  readonly wholeFlow: Flow;
  /** Of what goes into the norms, row by row. */
  readonly moments: { readonly normed1: Moments; readonly normed2: Moments };
  /** Output minus that of the whole block with sinusoidal or rotary positions, and how large both are. */
  readonly effect: {
    readonly difference: MatrixData;
    readonly size: number;
    readonly output: number;
  };
  /** Largest distance from the core's transformerBlock, where it can be asked: with all parts, without rotary positions. */
  readonly apart: number | null;
}

const flowing = [
  'x',
  'attention',
  'residual1',
  'normed1',
  'feedForward',
  'residual2',
  'normed2',
] as const;
/** Norms of rows. */
export type Flow = Readonly<Record<(typeof flowing)[number], readonly number[]>>;

export interface ShuffleAnswer {
  /** Rows of the outputs of the text as it is, in the new order. */
  readonly rearranged: MatrixData;
  /** Outputs of the text in the new order. */
  readonly reordered: MatrixData;
  readonly gap: MatrixData;
  readonly largest: number;
  /** What it is made of: the text, the moved text, and the weights. */
  readonly given: Readonly<Record<'x' | 'moved' | 'W' | 'W_O' | 'W_1' | 'W_2', MatrixData>>;
}

export interface PerTokenAnswer {
  readonly normed: MatrixData;
  readonly before: Moments;
  readonly after: Moments;
  /** Of the columns of what came out. */
  readonly columns: Moments;
}

export interface ActivationAnswer {
  readonly x: readonly number[];
  readonly curves: Readonly<Record<'relu' | 'gelu' | 'silu', readonly number[]>>;
  /** The hidden units as they came, and after each activation. */
  readonly hidden: readonly number[];
  readonly activated: Readonly<Record<'relu' | 'gelu' | 'silu', readonly number[]>>;
}

interface DepthLine {
  readonly id: string;
  /** The root mean square of all numbers after 0, 1, 2, ... blocks. */
  readonly size: readonly number[];
  /** The same of what is left when every token's row has the mean of all rows taken off. */
  readonly spread: readonly number[];
}

export interface DepthAnswer {
  readonly lines: readonly DepthLine[];
}

export interface BlockLessons {
  block: { ask: BlockAsk; answer: BlockAnswer };
  shuffle: { ask: BlockAsk & { readonly order: readonly number[] }; answer: ShuffleAnswer };
  perToken: { ask: { readonly given: MatrixData }; answer: PerTokenAnswer };
  activations: { ask: BlockAsk; answer: ActivationAnswer };
  depth: { ask: { readonly seed: number; readonly blocks: number }; answer: DepthAnswer };
}

/** As many vectors as there can be tokens. */
const vocabulary = 16;

function words(tril: Tril, { ids, edits, seed }: BlockAsk): Tensor {
  const table = tril.randomNormal([vocabulary, sizes.width], { seed: 100 * seed });
  const looked = download(tril.embedding([...ids], table));
  for (const { row, col, value } of edits) {
    if (row < looked.rows) looked.data[row * looked.cols + col] = value;
  }
  return upload(tril, looked);
}

function input(tril: Tril, ask: BlockAsk) {
  const content = words(tril, ask);
  const places = tril.sinusoidalPositions(ask.ids.length, sizes.width);
  const x = ask.positions === 'sinusoidal' ? tril.add(content, places) : content;
  return { words: content, places, x };
}

const formOf = (ask: BlockAsk): BlockForm => ({ ...ask, rotary: ask.positions === 'rotary' });

function run(tril: Tril, ask: BlockAsk) {
  const given = input(tril, ask);
  const weights = randomWeights(tril, sizes, ask.seed);
  return { given, weights, steps: composedBlock(tril, given.x, weights, sizes.heads, formOf(ask)) };
}

function heads(tensor: Tensor): MatrixData[] {
  const [count, rows, cols] = tensor.shape.slice(-3);
  const data = tensor.read();
  return Array.from({ length: count }, (_, head) => ({
    ...{ rows, cols },
    data: data.slice(head * rows * cols, (head + 1) * rows * cols),
  }));
}

/** The rows of one head in W_Q, W_K or W_V, all three stacked. */
function ofHeads(tril: Tril, stacked: Tensor, nth: number): MatrixData[] {
  const { width } = sizes;
  const data = stacked.read().slice(nth * width * width, (nth + 1) * width * width);
  return heads(tril.tensor([sizes.heads, width / sizes.heads, width], data));
}

function flowOf(tril: Tril, { given, steps }: ReturnType<typeof run>): Flow {
  const rows = (tensor: Tensor) => {
    const [count, cols] = tensor.shape;
    const data = tensor.read();
    return Array.from({ length: count }, (_, row) =>
      norm(tril, tril.tensor([1, cols], data.slice(row * cols, (row + 1) * cols))),
    );
  };
  const all = { ...steps, x: given.x };
  return Object.fromEntries(flowing.map((id) => [id, rows(all[id])])) as unknown as Flow;
}

function block(tril: Tril, ask: BlockAsk): BlockAnswer {
  const asked = run(tril, ask);
  const { given, weights, steps } = asked;
  const whole = run(tril, {
    ...{ ...ask, off: [] },
    positions: ask.positions === 'none' ? 'sinusoidal' : ask.positions,
  });
  const difference = tril.subtract(steps.output, whole.steps.output);
  const { norm: order, activation, causal } = ask;
  const composed =
    ask.off.length > 0 || ask.positions === 'rotary'
      ? null
      : tril.transformerBlock(given.x, weights, {
          ...{ heads: sizes.heads, norm: order, activation, causal },
        }).output;
  const stacked = weights['self_attn.in_proj_weight'];
  const { unturned, output, queries, keys, values, scores, masked, weights: shares } = steps;
  const shared = Object.entries({
    ...given,
    ...{ joined: steps.joined, attention: steps.attention, residual1: steps.residual1 },
    ...{ normed1: steps.normed1, hidden: steps.hidden, activated: steps.activated },
    ...{ feedForward: steps.feedForward, residual2: steps.residual2, normed2: steps.normed2 },
    ...{ wo: weights['self_attn.out_proj.weight'] },
    ...{ w1: weights['linear1.weight'], w2: weights['linear2.weight'], output },
  });
  const apiece = Object.entries({ queries, keys, values, scores, masked, weights: shares });
  return {
    whole: Object.fromEntries(shared.map(([id, tensor]) => [id, download(tensor)])),
    perHead: {
      ...Object.fromEntries(apiece.map(([id, tensor]) => [id, heads(tensor)])),
      heads: heads(steps.heads),
      ...{ wq: ofHeads(tril, stacked, 0), wk: ofHeads(tril, stacked, 1) },
      wv: ofHeads(tril, stacked, 2),
      ...(unturned && { unturnedq: heads(unturned.queries), unturnedk: heads(unturned.keys) }),
    },
    moments: {
      normed1: moments(tril, order === 'pre' ? given.x : steps.residual1),
      normed2: moments(tril, order === 'pre' ? steps.residual1 : steps.residual2),
    },
    effect: {
      difference: download(difference),
      size: norm(tril, difference),
      output: norm(tril, whole.steps.output),
    },
    apart: composed && apart(tril, composed, output),
    ...{ flow: flowOf(tril, asked), wholeFlow: flowOf(tril, whole) },
  };
}

/** Row i of the result is row `order[i]` of x. */
function reordered(tril: Tril, x: Tensor, order: readonly number[]): Tensor {
  return tril.embedding([...order], x);
}

const kinds = ['relu', 'gelu', 'silu'] as const;

/** Blocks one after the other, each with weights of its own; what is measured after each. */
function depthLine(
  tril: Tril,
  id: string,
  norms: BlockForm['norm'],
  off: readonly Part[],
  ask: BlockLessons['depth']['ask'],
): DepthLine {
  const { tokens, width, heads: count } = deepSizes;
  const form: BlockForm = { norm: norms, activation: 'relu', causal: false, rotary: false, off };
  const average = tril.tensor([tokens, tokens], new Float32Array(tokens ** 2).fill(1 / tokens));
  // The root mean square of N numbers is the length of them all, each divided by sqrt(N).
  const share = tril.tensor([[1 / Math.sqrt(tokens * width)]]);
  const size = (x: Tensor) => {
    const column = tril.tensor([x.size, 1], x.read());
    return norm(tril, tril.matmul(column, share));
  };
  const spread = (x: Tensor) => size(tril.subtract(x, tril.matmul(average, x)));
  let x = tril.randomNormal([tokens, width], { seed: 100 * ask.seed });
  const line = { id, size: [size(x)], spread: [spread(x)] };
  for (let depth = 1; depth <= ask.blocks; ++depth) {
    x = tril.scope(() => {
      const weights = randomWeights(tril, deepSizes, 1000 * ask.seed + depth);
      return composedBlock(tril, x, weights, count, form).output;
    });
    line.size.push(size(x));
    line.spread.push(spread(x));
  }
  return line;
}

export const blockAnswers: Answers<BlockLessons> = {
  block,

  shuffle(tril, { order, ...ask }) {
    const { given, weights, steps } = run(tril, ask);
    const rearranged = reordered(tril, steps.output, order);
    const other = run(tril, { ...ask, ids: order.map((place) => ask.ids[place]) });
    const shuffled = other.steps.output;
    const gap = tril.subtract(shuffled, rearranged);
    return {
      ...{ rearranged: download(rearranged), reordered: download(shuffled), gap: download(gap) },
      largest: apart(tril, shuffled, rearranged),
      given: {
        ...{ x: download(given.x), moved: download(other.given.x) },
        W: download(weights['self_attn.in_proj_weight']),
        W_O: download(weights['self_attn.out_proj.weight']),
        ...{ W_1: download(weights['linear1.weight']), W_2: download(weights['linear2.weight']) },
      },
    };
  },

  perToken(tril, { given }) {
    const x = upload(tril, given);
    const normed = tril.layerNorm(x);
    const identity = tril.tensor(
      Array.from({ length: given.rows }, (_, i) =>
        Array.from({ length: given.rows }, (__, j) => (i === j ? 1 : 0)),
      ),
    );
    const turned = tril.matmul(normed, identity, { transposeA: true });
    return {
      normed: download(normed),
      ...{ before: moments(tril, x), after: moments(tril, normed) },
      columns: moments(tril, turned),
    };
  },

  activations(tril, ask) {
    const x = Array.from({ length: 97 }, (_, i) => (i - 48) / 12);
    const { hidden } = run(tril, ask).steps;
    const all = (from: Tensor) =>
      Object.fromEntries(kinds.map((kind) => [kind, [...tril[kind](from).read()]])) as Record<
        (typeof kinds)[number],
        number[]
      >;
    return {
      ...{ x, curves: all(tril.tensor(x)) },
      ...{ hidden: [...hidden.read()], activated: all(hidden) },
    };
  },

  depth: (tril, ask) => ({
    lines: [
      depthLine(tril, 'post', 'post', [], ask),
      depthLine(tril, 'pre', 'pre', [], ask),
      depthLine(tril, 'noNorms', 'pre', ['norm1', 'norm2'], ask),
      depthLine(tril, 'noResiduals', 'post', ['residual1', 'residual2'], ask),
      depthLine(tril, 'neither', 'post', ['norm1', 'norm2', 'residual1', 'residual2'], ask),
    ],
  }),
};
