// From the core's answer to matrices that can be drawn, and why each number is what it is.
import type { AverageOutcome } from '../../compute/lessons/average';
import { at, rowOf, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Mark } from '../../figures/pointing.svelte';
import {
  drawnOf,
  letter,
  markCol,
  markRow,
  rowByCol,
  shareParts,
  word,
  type Look,
} from '../../figures/scene';
import { factor, sumOf, whyAt, type Part, type Why } from '../../figures/why';
import type { AverageCell } from '../../state/average';
import text from '$texts/average.yaml';

type AverageId = AverageCell['matrix'];

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
  const square = { rows: numerals(x.rows, axes.now), cols: numerals(x.rows, axes.then) };
  const wide = { rows: numerals(x.rows, axes.now), cols: numerals(x.cols, axes.entry) };
  const shared = { ...wide, end, shared: true };
  const draw = (id: AverageId, matrix: MatrixData, look: Look) =>
    (drawn[id] = drawnOf(id, matrix, { titled: true, ...look }));
  const drawn: Partial<Record<AverageId, Drawn>> = {};
  draw('x', x, {
    ...{ ...shared, rows: numerals(x.rows, axes.then) },
    ...{ role: 'x', symbol: letter(symbols.x), editable: true },
  });
  for (const { method, output, mask, weights } of outcomes) {
    draw(method, output[sequence], { ...shared, role: 'v', symbol: letter(symbols.y) });
    const soft = method === 'softmax';
    const hidden = (row: number, col: number) =>
      soft && mask !== null && at(mask, row, col) === -Infinity;
    if (mask && soft) {
      draw('mask', mask, {
        ...square,
        role: 'score',
        symbol: letter(symbols.mask),
        end: 8,
        hidden,
      });
    } else if (mask) {
      draw('ones', mask, {
        ...{ ...square, role: 'x', symbol: letter(symbols.ones), kind: 'weights', whole: true },
      });
    }
    if (weights) {
      draw(soft ? 'soft' : 'rows', weights, {
        ...{ ...square, role: 'weight', symbol: word(symbols.weights), kind: 'weights', hidden },
      });
    }
  }
  return { x, sums, drawn };
}

/** The weights that an output is made with. */
const weightsOf = { matrix: 'rows', softmax: 'soft' } as const;

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: AverageCell): Mark[] {
  switch (matrix) {
    case 'rows':
      return markRow(drawn.ones, row);
    case 'soft':
      return markRow(drawn.mask, row);
    case 'loops':
      return [{ matrix: 'x', rows: [0, row], cols: [col, col] }];
    case 'matrix':
    case 'softmax':
      return [...markRow(drawn[weightsOf[matrix]], row), ...markCol(drawn.x, col)];
    default:
      return [];
  }
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
      return { parts: shareParts(at(mask, row, col), rowOf(mask, row)), note: why.softmax };
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
      const terms = rowByCol(weights, row, x, col);
      return { parts: sumOf(terms, 'weight', 'x'), note: why.product };
    }
  }
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: AverageCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));
