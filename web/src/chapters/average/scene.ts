// From the core's answer to matrices that can be drawn, and why each number is what it is.
import type { AverageOutcome } from '../../compute/lessons/average';
import { at, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { plain, numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Mark } from '../../figures/pointing.svelte';
import { factor, sumOf, type Part, type Why } from '../../figures/why';
import type { AverageCell } from '../../state/average';
import text from '$texts/average.yaml';

export type AverageId = AverageCell['matrix'];

export interface Scene {
  readonly x: MatrixData;
  readonly sums: boolean;
  readonly drawn: Readonly<Partial<Record<AverageId, Drawn>>>;
}

interface Options {
  readonly x: MatrixData;
  /** The outcomes for one sequence of the batch. */
  readonly outcomes: readonly AverageOutcome[];
  readonly sequence: number;
  readonly sums: boolean;
}

export function sceneOf({ x, outcomes, sequence, sums }: Options): Scene {
  const { axes, symbols } = text;
  const outputs = outcomes.map(({ output }) => output[sequence].data);
  const end = scaleEnd(x.data, ...outputs);
  const common = { ...plain, titled: true };
  const square = { rows: numerals(x.rows, axes.now), cols: numerals(x.rows, axes.then) };
  const wide = { rows: numerals(x.rows, axes.now), cols: numerals(x.cols, axes.entry) };
  const drawn: Partial<Record<AverageId, Drawn>> = {
    x: {
      ...{
        ...common,
        ...wide,
        rows: numerals(x.rows, axes.then),
        id: 'x',
        role: 'x',
        matrix: x,
        kind: 'signed',
        end,
        editable: true,
      },
      symbol: { base: symbols.x, letter: true },
      shared: true,
    },
  };
  for (const { method, output, mask, weights } of outcomes) {
    drawn[method] = {
      ...{
        ...common,
        ...wide,
        id: method,
        role: 'v',
        matrix: output[sequence],
        kind: 'signed',
        end,
      },
      symbol: { base: symbols.y, letter: true },
      shared: true,
    };
    const soft = method === 'softmax';
    if (mask) {
      const id = soft ? 'mask' : 'ones';
      drawn[id] = {
        ...{ ...common, ...square, id, role: soft ? 'score' : 'x', matrix: mask },
        kind: soft ? 'signed' : 'weights',
        whole: !soft,
        end: soft ? 8 : 1,
        symbol: { base: soft ? symbols.mask : symbols.ones, letter: true },
      };
    }
    if (weights) {
      const id = soft ? 'soft' : 'rows';
      drawn[id] = {
        ...{ ...common, ...square, id, role: 'weight', matrix: weights, kind: 'weights', end: 1 },
        symbol: { base: symbols.weights, letter: false },
      };
    }
  }
  return { x, sums, drawn };
}

/** The weights that an output is made with. */
const weightsOf = { matrix: 'rows', softmax: 'soft' } as const;

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: AverageCell): Mark[] {
  const last = (drawn.x?.matrix.rows ?? 1) - 1;
  const line = (id: string): Mark => ({ matrix: id, rows: [row, row], cols: [0, last] });
  switch (matrix) {
    case 'rows':
      return [line('ones')];
    case 'soft':
      return [line('mask')];
    case 'loops':
      return [{ matrix: 'x', rows: [0, row], cols: [col, col] }];
    case 'matrix':
    case 'softmax':
      return [line(weightsOf[matrix]), { matrix: 'x', rows: [0, last], cols: [col, col] }];
    default:
      return [];
  }
}

function power(value: number): Part[] {
  return [{ text: 'e' }, { text: inText(value), role: 'score', raised: true }];
}

function explain(scene: Scene, { matrix, row, col }: AverageCell): { parts: Part[]; note: string } {
  const { drawn, sums, x } = scene;
  const { why } = text;
  const moments = Array.from({ length: x.rows }, (_, s) => s);
  switch (matrix) {
    case 'x':
      return { parts: [], note: why.x };
    case 'ones':
      return { parts: [], note: col <= row ? why.seen : why.later };
    case 'mask':
      return { parts: [], note: col <= row ? why.seen : why.hides };
    case 'rows': {
      const ones = drawn.ones!.matrix;
      if (sums) return { parts: [], note: why.sum };
      const below = moments
        .filter((s) => at(ones, row, s) !== 0)
        .map((s) => inText(at(ones, row, s)))
        .join(' + ');
      const parts = [{ text: inText(at(ones, row, col)), role: 'x' }, { text: ` / (${below})` }];
      return { parts, note: why.rows({ sum: row + 1 }) };
    }
    case 'soft': {
      const mask = drawn.mask!.matrix;
      const below = moments.flatMap((s) => [
        ...(s > 0 ? [{ text: ' + ' }] : []),
        ...power(at(mask, row, s)),
      ]);
      const parts = [...power(at(mask, row, col)), { text: ' / ( ' }, ...below, { text: ' )' }];
      return { parts, note: why.softmax };
    }
    case 'loops': {
      const terms = moments
        .slice(0, row + 1)
        .flatMap((s) => [...(s > 0 ? [{ text: ' + ' }] : []), factor(at(x, s, col), 'x')]);
      if (sums) return { parts: terms, note: why.loopSum };
      const parts = [{ text: '( ' }, ...terms, { text: ` ) / ${row + 1}` }];
      return { parts, note: why.loops({ terms: row + 1 }) };
    }
    case 'matrix':
    case 'softmax': {
      const weights = drawn[weightsOf[matrix]]!.matrix;
      const terms = moments.map((s) => ({ a: at(weights, row, s), b: at(x, s, col) }));
      return { parts: sumOf(terms, 'weight', 'x'), note: why.product };
    }
  }
}

/** Null for a cell that is not there. */
export function whyOf(scene: Scene, cell: AverageCell): Why | null {
  const drawn = scene.drawn[cell.matrix];
  if (!drawn || cell.row >= drawn.matrix.rows || cell.col >= drawn.matrix.cols) return null;
  const { row, col } = cell;
  return { drawn, row, col, value: at(drawn.matrix, row, col), ...explain(scene, cell) };
}
