// Online softmax at one step: the values held as matrices, their sources, and the explanation of each number.
import type { OnlineSteps } from '../../compute/worker/lessons/longer';
import { at, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import {
  drawnOf,
  letter,
  markCell,
  markCol,
  markRow,
  power,
  rowByRow,
  word,
  type Look,
} from '../../figures/scene';
import { factor, foundAt, sumOf, type Part, type Why } from '../../figures/why';
import type { OnlineCell, Source } from '../../state/longer';
import { cut, tokenAxis } from './source';
import text from '$texts/longer.yaml';

/** Progress of a block: ℓ and o before it, times the factor, or with the block. */
export type Phase = 'before' | 'rescaled' | 'done';

const words = text.online;
type Id = OnlineCell['matrix'];

export interface Sizes {
  readonly queries: number;
  readonly keys: number;
}

/** A block of queries, or of keys: `to` is excluded. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Step {
  /** 0 before the first block. */
  readonly number: number;
  readonly queries: Span;
  readonly keys: Span;
  readonly queryBlock: number;
  readonly keyBlock: number;
  readonly visited: boolean;
  /** The last block of keys for these queries. */
  readonly last: boolean;
}

/** The number of blocks, down and across. */
export function blocksOf({ visited }: OnlineSteps): { down: number; across: number } {
  return { down: visited.rows, across: visited.cols };
}

export function stepOf(run: OnlineSteps, sizes: Sizes, number: number): Step {
  const { across } = blocksOf(run);
  const index = Math.max(0, number - 1);
  const [queryBlock, keyBlock] = [Math.floor(index / across), index % across];
  const span = (block: number, size: number, all: number): Span => ({
    from: block * size,
    to: Math.min(all, (block + 1) * size),
  });
  return {
    number,
    queries: span(queryBlock, sizes.queries, run.q.rows),
    keys: span(keyBlock, sizes.keys, run.k.rows),
    queryBlock,
    keyBlock,
    visited: at(run.visited, queryBlock, keyBlock) === 1,
    last: keyBlock === across - 1,
  };
}

function part({ rows, cols, data }: MatrixData, down: Span, across?: Span): MatrixData {
  const { from, to } = across ?? { from: 0, to: cols };
  const height = Math.min(rows, down.to) - down.from;
  const values = Array.from({ length: height }, (_, row) => [
    ...data.subarray((down.from + row) * cols + from, (down.from + row) * cols + to),
  ]);
  return { rows: height, cols: to - from, data: Float32Array.from(values.flat()) };
}

/** Number of queries whose outputs are finished. */
const finished = (step: Step, phase: Phase) =>
  step.number === 0 ? 0 : step.last && phase === 'done' ? step.queries.to : step.queries.from;

export interface Scene {
  readonly run: OnlineSteps;
  readonly step: Step;
  readonly phase: Phase;
  readonly drawn: Readonly<Record<Id, Drawn>>;
  /** Number of finished cells of the output. */
  readonly reveal: number;
}

const letters: Partial<Record<Id, string>> = {
  q: 'Q',
  k: 'K',
  v: 'V',
  max: 'm',
  sum: 'ℓ',
  part: 'o',
};
const roles: Record<Id, Role> = {
  ...{ q: 'q', k: 'k', v: 'v', block: 'score', max: 'score', factor: 'weight' },
  ...{ sum: 'weight', part: 'v', out: 'v' },
};

/** ℓ and o in the current phase of the block. */
function keptOf({ sum, partial, rescaled }: OnlineSteps, { keyBlock }: Step, phase: Phase) {
  if (phase === 'done') return { sum, block: keyBlock, part: partial[keyBlock] };
  if (phase === 'rescaled' || keyBlock === 0) {
    return { sum: rescaled.sum, block: keyBlock, part: rescaled.partial[keyBlock] };
  }
  return { sum, block: keyBlock - 1, part: partial[keyBlock - 1] };
}

export function sceneOf(
  run: OnlineSteps,
  sizes: Sizes,
  source: Source,
  number: number,
  phase: Phase,
): Scene {
  const step = stepOf(run, sizes, number);
  const { queries, keys, keyBlock } = step;
  const tokens = run.q.rows;
  const down = tokenAxis(source, tokens, text.axes.query);
  const keyAxis = tokenAxis(source, run.k.rows, text.axes.key);
  const here = cut(down, queries.from, queries.to);
  const column = { from: keyBlock, to: keyBlock + 1 };
  const draw = (id: Id, matrix: MatrixData, look: Partial<Look>): Drawn =>
    drawnOf(id, matrix, {
      symbol:
        id in letters
          ? letter(letters[id]!)
          : word(words.symbols[id as keyof typeof words.symbols]),
      ...{ role: roles[id], rows: here, cols: numerals(matrix.cols, text.axes.entry) },
      ...look,
    });
  const held = (matrix: MatrixData) => part(matrix, queries, column);
  /** A score that the mask hides, and a maximum if it has hidden every score so far. */
  const unseen = (matrix: MatrixData) => ({
    hidden: (row: number, col: number) => at(matrix, row, col) === -Infinity,
  });
  const kept = keptOf(run, step, phase);
  const keptColumn = { from: kept.block, to: kept.block + 1 };
  const block = { cols: numerals(1, text.axes.step) };
  const [scores, maxima] = [part(run.masked, queries, keys), held(run.maximum)];
  const outEnd = scaleEnd(run.output.data, run.v.data);
  const drawn: Record<Id, Drawn> = {
    q: draw('q', run.q, { rows: down, editable: true }),
    k: draw('k', run.k, { rows: keyAxis, editable: true }),
    v: draw('v', run.v, { rows: keyAxis, editable: true, end: outEnd, shared: true }),
    block: draw('block', scores, {
      ...{ ...unseen(scores), cols: cut(keyAxis, keys.from, keys.to) },
      end: scaleEnd(run.masked.data),
    }),
    max: draw('max', maxima, { ...block, ...unseen(maxima), end: scaleEnd(run.masked.data) }),
    factor: draw('factor', held(run.factor), { ...block, kind: 'weights', end: 1 }),
    sum: draw('sum', part(kept.sum, queries, keptColumn), {
      ...block,
      end: scaleEnd(run.sum.data),
    }),
    part: draw('part', part(kept.part, queries), { end: scaleEnd(run.partial[keyBlock].data) }),
    out: draw('out', run.output, { rows: down, end: outEnd, shared: true }),
  };
  return { run, step, phase, drawn, reveal: finished(step, phase) * run.output.cols };
}

/** Number of existing maxima that have grown in this block: their rows are rescaled. */
export function grown(scene: Scene): number {
  const { drawn, step } = scene;
  if (!step.visited) return 0;
  return [...drawn.factor.matrix.data].filter(
    (factor, row) => factor !== 1 && before(scene, row).maximum > -Infinity,
  ).length;
}

const range = ({ from, to }: Span): readonly [number, number] => [from, to - 1];

export function idleMarks({ step, run }: Scene): Mark[] {
  if (step.number === 0) return [];
  const width = (matrix: MatrixData): readonly [number, number] => [0, matrix.cols - 1];
  return [
    { matrix: 'q', rows: range(step.queries), cols: width(run.q) },
    { matrix: 'k', rows: range(step.keys), cols: width(run.k) },
    { matrix: 'v', rows: range(step.keys), cols: width(run.v) },
  ];
}

export function sourcesOf(scene: Scene, { matrix, row, col }: OnlineCell): Mark[] {
  const { drawn, step } = scene;
  const line = (id: Id, at: number) => markRow(drawn[id], at);
  switch (matrix) {
    case 'block':
      return [...line('q', step.queries.from + row), ...line('k', step.keys.from + col)];
    case 'max':
      return line('block', row);
    case 'factor':
      return line('max', row);
    case 'sum':
      return [...line('block', row), ...line('max', row), ...line('factor', row)];
    case 'part':
      return [
        ...[...line('block', row), ...line('max', row), ...line('factor', row)],
        { matrix: 'v', rows: range(step.keys), cols: [col, col] },
      ];
    case 'out': {
      const local = row - step.queries.from;
      const inside = step.last && local >= 0 && row < step.queries.to;
      return inside ? [markCell('part', local, col), ...line('sum', local)] : markCol(drawn.v, col);
    }
    default:
      return [];
  }
}

/** The values before this block; none before the first. */
function before(scene: Scene, row: number) {
  const { run, step } = scene;
  const query = step.queries.from + row;
  if (step.keyBlock === 0) return { maximum: -Infinity, sum: 0, partial: () => 0 };
  const last = step.keyBlock - 1;
  return {
    maximum: at(run.maximum, query, last),
    sum: at(run.sum, query, last),
    partial: (col: number) => at(run.partial[last], query, col),
  };
}

function explain(scene: Scene, { matrix, row, col }: OnlineCell): { parts: Part[]; note: string } {
  const { run, step, drawn } = scene;
  const { why } = words;
  const query = step.queries.from + row;
  const keys = Array.from({ length: step.keys.to - step.keys.from }, (_, i) => step.keys.from + i);
  const seen = keys.filter((key) => at(run.masked, query, key) > -Infinity);
  if (matrix === 'q' || matrix === 'k' || matrix === 'v') return { parts: [], note: why.given };
  if (matrix === 'out') {
    const steps = run.sum.cols - 1;
    const parts = [
      factor(at(run.partial[steps], row, col), 'v'),
      { text: ' / ' },
      { text: inText(at(run.sum, row, steps)), role: 'weight' },
    ];
    return { parts, note: why.out };
  }
  if (!step.visited) return { parts: [], note: why.skipped };
  if (matrix === 'block') {
    const key = step.keys.from + col;
    if (at(run.masked, query, key) === -Infinity) return { parts: [], note: why.hidden };
    const terms = rowByRow(run.q, query, run.k, key);
    const parts = [{ text: '( ' }, ...sumOf(terms, 'q', 'k'), { text: ` ) / √${run.q.cols}` }];
    return { parts, note: why.score };
  }
  const old = before(scene, row);
  const maximum = at(drawn.max.matrix, row, 0);
  const scaled = at(drawn.factor.matrix, row, 0);
  const plus = { text: ' + ' };
  if ((matrix === 'sum' || matrix === 'part') && scene.phase !== 'done') {
    const was = matrix === 'sum' ? old.sum : old.partial(col);
    const parts = [factor(was, drawn[matrix].role), { text: '·' }, factor(scaled, 'weight')];
    const rescaled = scene.phase === 'rescaled';
    return { parts: rescaled ? parts : [], note: rescaled ? why.rescaled : why.before };
  }
  switch (matrix) {
    case 'max': {
      const all = [old.maximum, ...keys.map((key) => at(run.masked, query, key))].map(inText);
      return { parts: [{ text: `max( ${all.join(', ')} )` }], note: why.max };
    }
    case 'factor':
      if (old.maximum === -Infinity) return { parts: [], note: why.factorFirst };
      if (scaled === 1) return { parts: [], note: why.factorSame };
      return { parts: power(old.maximum, maximum), note: why.factor };
    case 'sum':
      return {
        parts: [
          ...[{ text: inText(old.sum), role: 'weight' }, { text: '·' }, factor(scaled, 'weight')],
          ...seen.flatMap((key) => [plus, ...power(at(run.masked, query, key), maximum)]),
        ],
        note: why.sum,
      };
    case 'part':
      return {
        parts: [
          ...[factor(old.partial(col), 'v'), { text: '·' }, factor(scaled, 'weight')],
          ...seen.flatMap((key) => [
            ...[plus, ...power(at(run.masked, query, key), maximum)],
            ...[{ text: '·' }, factor(at(run.v, key, col), 'v')],
          ]),
        ],
        note: why.part,
      };
  }
}

/** Null for a cell that does not exist, or not yet. */
export function whyOf(scene: Scene, cell: OnlineCell): Why | null {
  const found = foundAt(scene.drawn[cell.matrix], cell);
  if (!found) return null;
  const { drawn, row, col } = found;
  if (cell.matrix === 'out' && row * drawn.matrix.cols + col >= scene.reveal) return null;
  const isInput = cell.matrix === 'q' || cell.matrix === 'k' || cell.matrix === 'v';
  if (scene.step.number === 0 && !isInput) return null;
  if (cell.matrix === 'block' && !scene.step.visited) return null;
  return { ...found, ...explain(scene, cell) };
}
