// Converts the core's answer to matrices to draw, stage by stage, with notes for each number.
import type { BlockAnswer, BlockAsk } from '../../compute/worker/lessons/block';
import { at, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { matrixOf, type Shown, type Showing } from '../../figures/graph-values';
import type { Place } from '../../figures/grid';
import { numerals, plain, type MatrixSymbol } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import { differences, letter, markCell, rowByRow, word, wordAxis } from '../../figures/scene';
import { factor, sumOf, type Part } from '../../figures/why';
import type { BlockId, PartId, StageId } from '../../state/block';
import text from '$texts/block.yaml';

export interface Scene {
  readonly ask: BlockAsk;
  readonly answer: BlockAnswer;
  readonly tokens: readonly string[];
  /** The part that the reader of the graph uses. */
  readonly showing: Showing<BlockId>;
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

const weightIds: readonly BlockId[] = ['wq', 'wk', 'wv', 'wo', 'w1', 'w2'];
const squareIds: readonly BlockId[] = ['scores', 'masked', 'weights'];
/** The residual stream through the block. */
const stream: readonly BlockId[] = [
  ...(['x', 'words', 'places', 'attention', 'residual1', 'normed1'] as const),
  ...(['feedForward', 'residual2', 'normed2'] as const),
];

interface Options {
  readonly ask: BlockAsk;
  readonly answer: BlockAnswer;
  /** The answer without the visitor's edits, if there are any. */
  readonly before: BlockAnswer | null;
  readonly tokens: readonly string[];
  /** Index of the head, from 0. */
  readonly head: number;
  readonly stage: StageId;
  /** The residual stream is drawn on one scale. */
  readonly shared: boolean;
}

type Said = Omit<Shown, 'node' | 'look'>;

const signed = (value: number) => (value < 0 ? `(${inText(value)})` : inText(value));

/** Notes for each matrix, in the order of computation. */
function saidOf(
  { ask, answer: { moments } }: Options,
  numbers: (id: BlockId) => MatrixData,
): Partial<Record<BlockId, Said>> {
  const { why } = text;
  const off = (part: PartId) => ask.off.includes(part);
  const pre = ask.norm === 'pre';
  const of = (id: BlockId, { row, col }: Place) =>
    factor(at(numbers(id), row, col), roles[id] ?? 'x');
  const copy = (id: BlockId, note: string) => ({ note, say: (cell: Place) => [of(id, cell)] });
  const silent = (note: Shown['note']) => ({ note, say: () => [] });
  function norm(id: 'norm1' | 'norm2', from: BlockId): Said {
    const { mean, variance } = moments[id === 'norm1' ? 'normed1' : 'normed2'];
    const parts = (cell: Place): Part[] => [
      { text: '( ' },
      of(from, cell),
      { text: ` − ${signed(mean[cell.row])} ) / √(${inText(variance[cell.row])} + 10⁻⁵)` },
    ];
    return off(id) ? copy(from, why.passed) : { note: why.norm, say: parts };
  }
  const sum = (part: PartId, made: BlockId) =>
    off(part) ? copy(made, why.branch) : { note: why.sum };
  const branch = (part: PartId, more: Partial<Said> = {}) =>
    off(part) ? silent(why.off) : { note: why.product, ...more };
  const isHidden = ({ row, col }: Place) => at(numbers('masked'), row, col) === -Infinity;
  const ofHidden = (id: BlockId) => (cell: Place) =>
    isHidden(cell) ? [markCell(id, cell.row, cell.col)] : [];
  const turned = { note: ask.positions === 'rotary' ? why.turned : why.product };
  const activation = text.controls.activations[ask.activation];
  const product = { note: why.product };
  const weight = { note: why.weight };
  return {
    ...{ words: { note: why.words }, places: { note: why.places } },
    x: ask.positions === 'sinusoidal' ? { note: why.sum } : copy('words', why.sum),
    ...{ wq: weight, wk: weight, wv: weight, unturned: product },
    ...{ queries: turned, keys: turned, values: product },
    scores: { note: why.scores({ d: numbers('queries').cols }) },
    masked: {
      ...silent((cell) => (isHidden(cell) ? why.unseen : why.seen)),
      also: ofHidden('scores'),
    },
    weights: { note: why.softmax, brief: true, also: ofHidden('masked') },
    ...{ heads: { note: why.head }, joined: { note: why.joined }, wo: weight },
    attention: branch('attention'),
    residual1: sum('residual1', 'attention'),
    normed1: norm('norm1', pre ? 'x' : 'residual1'),
    ...{ w1: weight, hidden: product },
    activated: {
      note: why.activated,
      say: (cell) => [{ text: `${activation}(` }, of('hidden', cell), { text: ')' }],
    },
    w2: weight,
    feedForward: branch('feedForward', {
      say: ({ row, col }) =>
        sumOf(rowByRow(numbers('activated'), row, numbers('w2'), col), 'score', 'x'),
    }),
    residual2: sum('residual2', 'feedForward'),
    normed2: norm('norm2', pre ? 'residual1' : 'residual2'),
    effect: { note: why.effect },
  };
}

export function sceneOf(options: Options): Scene {
  const { ask, answer, before, tokens, head, stage, shared } = options;
  const { axes } = text;
  const front = [head];
  const nodes: Partial<Record<BlockId, string>> = {
    x: ask.positions === 'sinusoidal' ? 'x' : 'words',
    masked: ask.causal ? 'masked' : 'scores',
    unturned: stage === 'keys' ? 'unturnedk' : 'unturnedq',
    ...{ wo: 'W_O', w1: 'W_1', w2: 'W_2' },
  };
  const nodeOf = (id: BlockId) => nodes[id] ?? id;
  const numbers = (id: BlockId) => matrixOf(answer.values, nodeOf(id), front);
  const said = Object.entries(saidOf(options, numbers)) as [BlockId, Said][];
  const all = said.filter(([id]) => nodeOf(id) in answer.values);
  const flowing = all.filter(([id]) => stream.includes(id));
  const end = scaleEnd(...flowing.flatMap(([id]) => numbers(id).data));
  const words = wordAxis(tokens, axes.token);
  const shown = all.map(([id, each]): [BlockId, Shown] => {
    const matrix = numbers(id);
    const weight = weightIds.includes(id);
    const square = squareIds.includes(id);
    const wide = id === 'hidden' || id === 'activated' || id === 'w2';
    const was = before && matrixOf(before.values, nodeOf(id), front);
    const look = {
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
      changed: differences(matrix, was),
      editable: id === 'words',
      hidden:
        id === 'masked'
          ? (row: number, col: number) => at(matrix, row, col) === -Infinity
          : plain.hidden,
      edited: id === 'words' ? edited(matrix, ask) : null,
    } as const;
    return [id, { ...each, node: nodeOf(id), look }];
  });
  const { graph, values } = answer;
  const showing = { graph, values, front, shown: Object.fromEntries(shown) };
  return { ask, answer, tokens, showing };
}

const nameOf = (id: BlockId): string =>
  id in text.stages ? text.stages[id as StageId].matrix : id;

function edited({ rows, cols }: MatrixData, { edits }: BlockAsk): Uint8Array {
  const marks = new Uint8Array(rows * cols);
  for (const { row, col } of edits) if (row < rows) marks[row * cols + col] = 1;
  return marks;
}
