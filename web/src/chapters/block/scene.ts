// From the core's answer to matrices that can be drawn, stage by stage, and why each number is what it is.
import type { BlockAnswer, BlockAsk } from '../../compute/worker/lessons/block';
import { at, rowOf, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { numerals, plain, type Drawn, type MatrixSymbol } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import {
  differences,
  drawnOf,
  letter,
  markCell,
  markCol,
  markRow,
  rowByCol,
  rowByRow,
  shareParts,
  word,
  wordAxis,
} from '../../figures/scene';
import { factor, sumOf, whyAt, type Part, type Why } from '../../figures/why';
import type { BlockCell, BlockId, PartId, StageId } from '../../state/block';
import text from '$texts/block.yaml';

/** How a stage follows from its sources. */
export type Kind =
  'sum' | 'norm' | 'product' | 'scores' | 'same' | 'softmax' | 'blend' | 'map' | 'turned';

export interface Stage {
  readonly kind: Kind;
  readonly sources: readonly BlockId[];
  /** The part that it belongs to. */
  readonly part: PartId | null;
}

export interface Scene {
  readonly ask: BlockAsk;
  readonly answer: BlockAnswer;
  /** Words. */
  readonly tokens: readonly string[];
  /** From 0. */
  readonly head: number;
  readonly drawn: Readonly<Partial<Record<BlockId, Drawn>>>;
}

const roles: Partial<Record<BlockId, Role>> = {
  ...{ queries: 'q', wq: 'q', keys: 'k', wk: 'k', values: 'v', wv: 'v' },
  ...{ scores: 'score', masked: 'score', weights: 'weight', heads: 'v', joined: 'v' },
  ...{ attention: 'v', feedForward: 'score', activated: 'score', hidden: 'score' },
};

const symbols: Partial<Record<BlockId, MatrixSymbol>> = {
  ...{ queries: letter('Q'), keys: letter('K'), values: letter('V') },
  ...{ scores: letter('S'), masked: letter('S + M'), weights: letter('A') },
  ...{ hidden: letter('h'), activated: letter('f(h)'), x: letter('x') },
  ...{ wq: letter('W', 'Q'), wk: letter('W', 'K'), wv: letter('W', 'V'), wo: letter('W', 'O') },
  ...{ w1: letter('W', '1'), w2: letter('W', '2') },
};

export function stageOf(id: StageId, { norm, positions }: BlockAsk): Stage {
  const pre = norm === 'pre';
  const inside = pre ? 'normed1' : 'x';
  const rotary = positions === 'rotary';
  const stages: Record<StageId, Stage> = {
    x: {
      kind: 'sum',
      sources: positions === 'sinusoidal' ? ['words', 'places'] : ['words'],
      part: null,
    },
    normed1: { kind: 'norm', sources: [pre ? 'x' : 'residual1'], part: 'norm1' },
    queries: rotary
      ? { kind: 'turned', sources: ['unturned'], part: 'attention' }
      : { kind: 'product', sources: [inside, 'wq'], part: 'attention' },
    keys: rotary
      ? { kind: 'turned', sources: ['unturned'], part: 'attention' }
      : { kind: 'product', sources: [inside, 'wk'], part: 'attention' },
    values: { kind: 'product', sources: [inside, 'wv'], part: 'attention' },
    scores: { kind: 'scores', sources: ['queries', 'keys'], part: 'attention' },
    masked: { kind: 'same', sources: ['scores'], part: 'attention' },
    weights: { kind: 'softmax', sources: ['masked'], part: 'attention' },
    heads: { kind: 'blend', sources: ['weights', 'values'], part: 'attention' },
    attention: { kind: 'product', sources: ['joined', 'wo'], part: 'attention' },
    residual1: { kind: 'sum', sources: ['x', 'attention'], part: 'residual1' },
    normed2: { kind: 'norm', sources: [pre ? 'residual1' : 'residual2'], part: 'norm2' },
    hidden: { kind: 'product', sources: [pre ? 'normed2' : 'normed1', 'w1'], part: 'feedForward' },
    activated: { kind: 'map', sources: ['hidden'], part: 'feedForward' },
    feedForward: { kind: 'product', sources: ['activated', 'w2'], part: 'feedForward' },
    residual2: {
      kind: 'sum',
      sources: [pre ? 'residual1' : 'normed1', 'feedForward'],
      part: 'residual2',
    },
  };
  return stages[id];
}

const weightIds: readonly BlockId[] = ['wq', 'wk', 'wv', 'wo', 'w1', 'w2'];
const squareIds: readonly BlockId[] = ['scores', 'masked', 'weights'];
/** What flows through the block. */
const stream: readonly BlockId[] = [
  ...(['x', 'words', 'places', 'attention', 'residual1', 'normed1'] as const),
  ...(['feedForward', 'residual2', 'normed2'] as const),
];

interface Options {
  readonly ask: BlockAsk;
  readonly answer: BlockAnswer;
  /** The answer without the visitor's edits, where there are any. */
  readonly before: BlockAnswer | null;
  readonly tokens: readonly string[];
  readonly head: number;
  readonly stage: StageId;
  /** What flows through the block is drawn on one scale. */
  readonly shared: boolean;
}

function matricesOf({ whole, perHead, effect }: BlockAnswer, head: number, stage: StageId) {
  const ofHead = Object.fromEntries(Object.entries(perHead).map(([id, all]) => [id, all[head]]));
  const unturned = ofHead[stage === 'keys' ? 'unturnedk' : 'unturnedq'];
  return { ...whole, ...ofHead, unturned, effect: effect.difference } as Record<
    string,
    MatrixData | undefined
  >;
}

export function sceneOf({ ask, answer, before, tokens, head, stage, shared }: Options): Scene {
  const { axes } = text;
  const now = matricesOf(answer, head, stage);
  const was: Partial<typeof now> = before ? matricesOf(before, head, stage) : {};
  const end = scaleEnd(...stream.flatMap((id) => now[id]?.data ?? []));
  const words = wordAxis(tokens, axes.token);
  const drawn: Partial<Record<BlockId, Drawn>> = {};
  for (const [name, matrix] of Object.entries(now)) {
    const id = name as BlockId;
    if (!matrix) continue;
    const weight = weightIds.includes(id);
    const square = squareIds.includes(id);
    const wide = id === 'hidden' || id === 'activated' || id === 'w2';
    drawn[id] = drawnOf(id, matrix, {
      role: id === 'unturned' ? (stage === 'keys' ? 'k' : 'q') : (roles[id] ?? 'x'),
      symbol:
        symbols[id] ?? word((text.symbols as Partial<Record<BlockId, string>>)[id] ?? nameOf(id)),
      rows: weight
        ? numerals(matrix.rows, axes.out)
        : square
          ? wordAxis(tokens, axes.query)
          : words,
      cols: square
        ? wordAxis(tokens, axes.key)
        : numerals(matrix.cols, wide ? axes.hidden : axes.feature),
      kind: id === 'weights' ? 'weights' : 'signed',
      ...(shared && stream.includes(id) && { shared, end }),
      changed: differences(matrix, was[id]),
      editable: id === 'words',
      hidden: id === 'masked' ? (row, col) => at(matrix, row, col) === -Infinity : plain.hidden,
      edited: id === 'words' ? edited(matrix, ask) : null,
    });
  }
  return { ask, answer, tokens, head, drawn };
}

const nameOf = (id: BlockId): string =>
  id in text.stages ? text.stages[id as StageId].matrix : id;

function edited({ rows, cols }: MatrixData, { edits }: BlockAsk): Uint8Array {
  const marks = new Uint8Array(rows * cols);
  for (const { row, col } of edits) if (row < rows) marks[row * cols + col] = 1;
  return marks;
}

const isStage = (id: BlockId): id is StageId => id in text.stages;

export function sourcesOf(scene: Scene, { matrix, row, col }: BlockCell): Mark[] {
  if (!isStage(matrix)) return [];
  const { kind, sources } = stageOf(matrix, scene.ask);
  const line = (id: BlockId, at: number) => markRow(scene.drawn[id], at);
  const spot = (id: BlockId) => markCell(id, row, col);
  switch (kind) {
    case 'sum':
    case 'same':
    case 'map':
      return sources.map(spot);
    case 'norm':
    case 'softmax':
      return sources.flatMap((id) => line(id, row));
    case 'product':
    case 'scores':
      return [...line(sources[0], row), ...line(sources[1], col)];
    case 'blend':
      return [...line(sources[0], row), ...markCol(scene.drawn[sources[1]], col)];
    case 'turned': {
      const half = (scene.drawn[sources[0]]?.matrix.cols ?? 2) / 2;
      return [
        spot(sources[0]),
        { ...spot(sources[0]), cols: [(col + half) % (2 * half), (col + half) % (2 * half)] },
      ];
    }
  }
}

const signed = (value: number) => (value < 0 ? `(${inText(value)})` : inText(value));

function explain(scene: Scene, { matrix, row, col }: BlockCell): { parts: Part[]; note: string } {
  const { drawn, ask, answer } = scene;
  const { why } = text;
  if (weightIds.includes(matrix)) return { parts: [], note: why.weight };
  if (matrix === 'words') return { parts: [], note: why.words };
  if (matrix === 'places') return { parts: [], note: why.places };
  if (matrix === 'joined') return { parts: [], note: why.joined };
  if (matrix === 'effect') return { parts: [], note: why.effect };
  if (!isStage(matrix)) return { parts: [], note: why.product };
  const { kind, sources, part } = stageOf(matrix, ask);
  const off = part !== null && ask.off.includes(part);
  const [left, right] = sources.map((id) => drawn[id]!);
  switch (kind) {
    case 'sum': {
      const terms = sources.map((id) => factor(at(drawn[id]!.matrix, row, col), drawn[id]!.role));
      if (off) return { parts: terms.slice(1), note: why.branch };
      return {
        parts: terms.flatMap((term, i) => [...(i > 0 ? [{ text: ' + ' }] : []), term]),
        note: why.sum,
      };
    }
    case 'norm': {
      const value = at(left.matrix, row, col);
      if (off) return { parts: [factor(value, left.role)], note: why.passed };
      const { mean, variance } = answer.moments[matrix as 'normed1' | 'normed2'];
      const parts = [
        { text: '( ' },
        factor(value, left.role),
        { text: ` − ${signed(mean[row])} ) / √(${inText(variance[row])} + 10⁻⁵)` },
      ];
      return { parts, note: why.norm };
    }
    case 'product':
    case 'scores': {
      if (off && (matrix === 'attention' || matrix === 'feedForward')) {
        return { parts: [], note: why.off };
      }
      const terms = rowByRow(left.matrix, row, right.matrix, col);
      const product = sumOf(terms, left.role, right.role);
      if (kind === 'product') return { parts: product, note: why.product };
      const d = left.matrix.cols;
      return {
        parts: [{ text: '( ' }, ...product, { text: ` ) / √${d}` }],
        note: why.scores({ d }),
      };
    }
    case 'same':
      return {
        parts: [],
        note: at(drawn.masked!.matrix, row, col) === -Infinity ? why.unseen : why.seen,
      };
    case 'softmax': {
      const scores = left.matrix;
      const parts = shareParts(at(scores, row, col), rowOf(scores, row));
      return { parts, note: why.softmax };
    }
    case 'blend': {
      const terms = rowByCol(left.matrix, row, right.matrix, col);
      return { parts: sumOf(terms, left.role, right.role), note: why.head };
    }
    case 'map': {
      const name = text.controls.activations[ask.activation as 'relu' | 'gelu' | 'silu'];
      const value = factor(at(left.matrix, row, col), left.role);
      return { parts: [{ text: `${name}(` }, value, { text: ')' }], note: why.activated };
    }
    case 'turned':
      return { parts: [], note: why.turned };
  }
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: BlockCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));
