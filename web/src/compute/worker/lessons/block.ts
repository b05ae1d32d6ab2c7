// The answers of chapter "Block", computed by the core. There is no arithmetic here.
import type { Tensor, TransformerBlockWeights, Tril } from 'tril';
import { run, type Graph, type GraphValues } from 'tril/graph';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import {
  blockGraph,
  isWhole,
  outputOf,
  shuffleGraph,
  sizes,
  type BlockForm,
  type BlockSizes,
} from '../../shared/handmade/block-graph';
import { download, upload } from '../../shared/lessons/matrices';
import { allNumbers, type NodeValues } from './graph';
import { apart, moments, norm, type Moments } from './sums';

/** Sizes of the stack of blocks, of which only norms are shown. */
export const deepSizes = { width: 32, heads: 4, hidden: 128, tokens: 8 } as const;

export interface BlockAsk extends BlockForm {
  /** The id of every token. */
  readonly ids: readonly number[];
  readonly edits: readonly { readonly row: number; readonly col: number; readonly value: number }[];
  readonly seed: number;
}

export interface BlockAnswer {
  readonly graph: Graph;
  /** Values of the graph. If the core has the block as one call, they equal those of that call to the last bit. */
  readonly values: NodeValues;
  /** Maximum difference between this output and that call's; null if the core has no such call. */
  readonly apart: number | null;
  /** Norm of each token's row, stage by stage; and the same for the complete block. */
  readonly flow: Flow;
  readonly wholeFlow: Flow;
  /** Moments of the inputs of the norms, row by row. */
  readonly moments: { readonly normed1: Moments; readonly normed2: Moments };
  /**
   * Norm of the difference from the output of the complete block with sinusoidal or rotary positions, and norm of that
   * output.
   */
  readonly effect: { readonly size: number; readonly output: number };
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
  /**
   * Values of the graph of both texts: its inputs, the inputs of the block as `x` and `moved`, outputs of the original
   * text with their rows in the new order, outputs of the text in the new order, and the gap.
   */
  readonly values: NodeValues;
  readonly largest: number;
}

export interface PerTokenAnswer {
  readonly normed: MatrixData;
  readonly before: Moments;
  readonly after: Moments;
  /** Moments of the columns of the output. */
  readonly columns: Moments;
}

export interface ActivationAnswer {
  readonly x: readonly number[];
  readonly curves: Readonly<Record<'relu' | 'gelu' | 'silu', readonly number[]>>;
  /** The hidden units before and after each activation. */
  readonly hidden: readonly number[];
  readonly activated: Readonly<Record<'relu' | 'gelu' | 'silu', readonly number[]>>;
}

interface DepthLine {
  readonly id: string;
  /** The root mean square of all numbers after 0, 1, 2, ... blocks. */
  readonly size: readonly number[];
  /** The same after the mean of all rows is subtracted from every token's row. */
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

/** Size of the vocabulary: the maximum number of tokens. */
const vocabulary = 16;

function words(tril: Tril, { ids, edits, seed }: BlockAsk): Tensor {
  const table = tril.randomNormal([vocabulary, sizes.width], { seed: 100 * seed });
  const looked = download(tril.embedding([...ids], table));
  for (const { row, col, value } of edits) {
    if (row < looked.rows) looked.data[row * looked.cols + col] = value;
  }
  return upload(tril, looked);
}

type Matrices = Pick<BlockSizes, 'width' | 'hidden'>;

/** PyTorch's initialization: uniform up to sqrt(6 / (in + out)) (Glorot, Bengio 2010); no biases. */
function randomWeights(tril: Tril, { width, hidden }: Matrices, seed: number) {
  const draw = (rows: number, cols: number, nth: number) => {
    const high = Math.sqrt(6 / (rows + cols));
    return tril.randomUniform([rows, cols], { seed: 100 * seed + nth, low: -high, high });
  };
  return {
    ...{ W: draw(3 * width, width, 1), W_O: draw(width, width, 2) },
    ...{ W_1: draw(hidden, width, 3), W_2: draw(width, hidden, 4) },
  };
}

/** Weights by PyTorch's names. */
export function randomBlock(tril: Tril, of: Matrices, seed: number) {
  const { W, W_O, W_1, W_2 } = randomWeights(tril, of, seed);
  return {
    ...{ 'self_attn.in_proj_weight': W, 'self_attn.out_proj.weight': W_O },
    ...{ 'linear1.weight': W_1, 'linear2.weight': W_2 },
  } satisfies TransformerBlockWeights;
}

/** The inputs of the graph of a block. */
function inputsOf(tril: Tril, ask: BlockAsk): GraphValues {
  const { positions, ids, seed } = ask;
  const { width, heads } = sizes;
  const d = width / heads;
  // Rotated pairs begin as (1, 0), and so they become cosines and sines.
  const pairs = Array.from({ length: d }, (_, i) => Number(2 * i < d));
  return {
    words: words(tril, ask),
    ...(positions === 'sinusoidal' && { places: tril.sinusoidalPositions(ids.length, width) }),
    ...(positions === 'rotary' && {
      turns: tril.rotaryPositions(tril.tensor(ids.map(() => pairs))),
    }),
    ...randomWeights(tril, sizes, seed),
  };
}

/**
 * All values of a block, and of its effect if it is compared with the output of a complete one. If the core has the
 * block as one call, `called` is the output of that call.
 */
function valuesOf(tril: Tril, ask: BlockAsk, whole?: Tensor): GraphValues {
  const inputs = inputsOf(tril, ask);
  const zeros = tril.zeros([ask.ids.length, sizes.width]);
  const values = run(tril, blockGraph(ask), { ...inputs, whole: whole ?? zeros });
  const x = values.x ?? inputs.words;
  if (!isWhole(ask)) return { ...values, x };
  const { norm: order, activation, causal, seed } = ask;
  const options = { heads: sizes.heads, norm: order, activation, causal, trace: true } as const;
  const { output, trace } = tril.transformerBlock(x, randomBlock(tril, sizes, seed), options);
  return { ...values, ...trace, x, called: output };
}

function flowOf(tril: Tril, values: GraphValues): Flow {
  const rows = (tensor: Tensor) => {
    const [count, cols] = tensor.shape;
    const data = tensor.read();
    return Array.from({ length: count }, (_, row) =>
      norm(tril, tril.tensor([1, cols], data.slice(row * cols, (row + 1) * cols))),
    );
  };
  return Object.fromEntries(flowing.map((id) => [id, rows(values[id])])) as unknown as Flow;
}

function block(tril: Tril, ask: BlockAsk): BlockAnswer {
  const positions = ask.positions === 'none' ? 'sinusoidal' : ask.positions;
  const output = outputOf(ask);
  const whole = valuesOf(tril, { ...ask, off: [], positions });
  const { called, ...values } = valuesOf(tril, ask, whole[output]);
  const effect = tril.subtract(values[output], whole[output]);
  const isPre = ask.norm === 'pre';
  return {
    graph: blockGraph(ask),
    apart: called ? apart(tril, called, values[output]) : null,
    values: allNumbers({ ...values, effect }),
    moments: {
      normed1: moments(tril, isPre ? values.x : values.residual1),
      normed2: moments(tril, isPre ? values.residual1 : values.residual2),
    },
    effect: { size: norm(tril, effect), output: norm(tril, whole[output]) },
    ...{ flow: flowOf(tril, values), wholeFlow: flowOf(tril, whole) },
  };
}

const kinds = ['relu', 'gelu', 'silu'] as const;

/** Blocks in sequence, each with its own weights, and the measures after each. */
function depthLine(
  tril: Tril,
  id: string,
  order: BlockForm['norm'],
  off: BlockForm['off'],
  ask: BlockLessons['depth']['ask'],
): DepthLine {
  const { tokens, width } = deepSizes;
  const form = { norm: order, positions: 'none', activation: 'relu', causal: false, off } as const;
  const stacked = blockGraph(form, deepSizes);
  const whole = tril.zeros([tokens, width]);
  const average = tril.tensor([tokens, tokens], new Float32Array(tokens ** 2).fill(1 / tokens));
  // The root mean square of N numbers is the norm of the numbers divided by sqrt(N).
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
      return run(tril, stacked, { words: x, whole, ...weights })[outputOf(form)];
    });
    line.size.push(size(x));
    line.spread.push(spread(x));
  }
  return line;
}

export const blockAnswers: Answers<BlockLessons> = {
  block,

  shuffle(tril, { order, ...ask }) {
    const inputs = inputsOf(tril, ask);
    const made = run(tril, shuffleGraph(ask, order), inputs);
    const { rearranged, gap, [`${outputOf(ask)}_moved`]: reordered } = made;
    const x = made.x_plain ?? inputs.words;
    const moved = made.x_moved ?? made.words_moved;
    return {
      values: allNumbers({ ...inputs, x, moved, rearranged, reordered, gap }),
      largest: apart(tril, reordered, rearranged),
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
    const { hidden } = valuesOf(tril, ask);
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
