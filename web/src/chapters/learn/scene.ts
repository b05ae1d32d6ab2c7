// From the core's answer to matrices that can be drawn, and why each number is what it is, on the way there and back.
import {
  ids,
  stageIds,
  targets,
  vocabulary,
  type StageId,
} from '../../compute/handmade/learn-head';
import type { StepResult } from '../../compute/lessons/learn';
import { at, rowOf, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { numerals, type Axis, type Drawn, type MatrixSymbol } from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import {
  drawnOf,
  letter,
  markCell,
  markCol,
  markRow,
  colByCol,
  rowByCol,
  rowByRow,
  shareParts,
  word,
  wordAxis,
} from '../../figures/scene';
import { factor, sumOf, whyAt, type Part, type Why } from '../../figures/why';
import { gradientOf, stageOf, type LearnCell } from '../../state/learn';
import text from '$texts/learn.yaml';

type LearnId = LearnCell['matrix'];
export interface Scene {
  readonly drawn: Readonly<Record<LearnId, Drawn>>;
}

const { axes, symbols } = text;
export const words = ids.map((id) => vocabulary[id]);
const classes = wordAxis(vocabulary, axes.next, vocabulary);
const surprise: Axis = { title: axes.surprise, short: ['−ln'], names: [axes.surprise] };
const queries = wordAxis(words, axes.query);
const keys = wordAxis(words, axes.key);
const entries = (count: number) => numerals(count, axes.entry);

interface Looks {
  readonly role: Role;
  readonly symbol: MatrixSymbol;
  readonly rows: Axis;
  readonly cols: Axis;
}
const looks: Readonly<Record<StageId, Looks>> = {
  wq: { role: 'q', symbol: letter('W', 'Q'), rows: numerals(2, axes.out), cols: entries(3) },
  wk: { role: 'k', symbol: letter('W', 'K'), rows: numerals(2, axes.out), cols: entries(3) },
  wv: { role: 'v', symbol: letter('W', 'V'), rows: classes, cols: entries(3) },
  q: { role: 'q', symbol: letter('Q'), rows: queries, cols: entries(2) },
  k: { role: 'k', symbol: letter('K'), rows: keys, cols: entries(2) },
  v: { role: 'v', symbol: letter('V'), rows: keys, cols: classes },
  scores: { role: 'score', symbol: word(symbols.scores), rows: queries, cols: keys },
  weights: { role: 'weight', symbol: word(symbols.weights), rows: queries, cols: keys },
  output: { role: 'v', symbol: word(symbols.output), rows: queries, cols: classes },
};

const later = (row: number, col: number) => col > row;
const masked = ['scores', 'weights'];

export function sceneOf({ x, stages, gradients, said, surprises }: StepResult): Scene {
  const one = (id: LearnId, stage: StageId, matrix: MatrixData, more: Partial<Drawn> = {}) =>
    drawnOf(id, matrix, {
      ...looks[stage],
      ...(masked.includes(stage) && { hidden: later }),
      titled: false,
      ...more,
    });
  const pairs = stageIds.flatMap((stage) => {
    const { symbol } = looks[stage];
    const back = { role: 'x', symbol: { ...symbol, base: `∂${symbol.base}` } } as const;
    const gradient = gradientOf(stage);
    return [
      [stage, one(stage, stage, stages[stage], stage === 'weights' ? { kind: 'weights' } : {})],
      [gradient, one(gradient, stage, gradients[stage], back)],
    ];
  });
  const given = {
    ...({ role: 'x', titled: false } as const),
    symbol: letter('X'),
    ...{ rows: keys, cols: entries(3) },
  };
  const says = {
    ...({ role: 'weight', kind: 'weights', titled: false } as const),
    symbol: word(symbols.said),
  };
  return {
    drawn: {
      ...Object.fromEntries(pairs),
      x: drawnOf('x', x, given),
      said: drawnOf('said', said, { ...says, rows: queries, cols: classes }),
      loss: drawnOf('loss', surprises, {
        ...({ role: 'v', titled: false } as const),
        ...{ symbol: word(symbols.loss), rows: queries, cols: surprise },
      }),
    } as Scene['drawn'],
  };
}

/** The number of the forward pass that a cell is about, if it may be nudged. */
export function nudgedOf(cell: LearnCell | null) {
  const stage = cell && stageOf(cell.matrix);
  if (!stage || (masked.includes(stage) && later(cell.row, cell.col))) return null;
  return { stage, row: cell.row, col: cell.col };
}

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: LearnCell): Mark[] {
  const rowOf = (id: LearnId, at = row) => markRow(drawn[id], at);
  const colOf = (id: LearnId, at = col) => markCol(drawn[id], at);
  const seen = (id: LearnId): Mark[] => [{ matrix: id, rows: [row, row], cols: [0, row] }];
  const under = (id: LearnId): Mark[] => [{ matrix: id, rows: [row, 3], cols: [row, row] }];
  switch (matrix) {
    case 'q':
    case 'k':
    case 'v':
      return [...rowOf('x'), ...rowOf(`w${matrix}`, col)];
    case 'scores':
      return later(row, col) ? [] : [...rowOf('q'), ...rowOf('k', col)];
    case 'weights':
      return later(row, col) ? [] : seen('scores');
    case 'output':
      return [...seen('weights'), { matrix: 'v', rows: [0, row], cols: [col, col] }];
    case 'said':
      return rowOf('output');
    case 'loss':
      return [markCell('said', row, targets[row])];
    case 'doutput':
      return [markCell('said', row, col)];
    case 'dweights':
      return later(row, col) ? [] : [...rowOf('doutput'), ...rowOf('v', col)];
    case 'dv':
      return [...under('weights'), { matrix: 'doutput', rows: [row, 3], cols: [col, col] }];
    case 'dscores':
      return later(row, col) ? [] : [...seen('weights'), ...seen('dweights')];
    case 'dq':
      return [...seen('dscores'), { matrix: 'k', rows: [0, row], cols: [col, col] }];
    case 'dk':
      return [...under('dscores'), { matrix: 'q', rows: [row, 3], cols: [col, col] }];
    case 'dwq':
    case 'dwk':
    case 'dwv':
      return [...colOf(`d${matrix[2] as 'q' | 'k' | 'v'}`, row), ...colOf('x')];
    default:
      return [];
  }
}

const open: Part = { text: '( ' };
const halved = (terms: readonly Part[]): Part[] => [open, ...terms, { text: ' ) / √2' }];

function explain(
  { drawn }: Scene,
  { matrix, row, col }: LearnCell,
): { parts: Part[]; note: string } {
  const { why } = text;
  const of = (id: LearnId) => drawn[id].matrix;
  const value = (id: LearnId, r: number, c: number) => at(of(id), r, c);
  const hidden = later(row, col);
  switch (matrix) {
    case 'x':
      return { parts: [], note: why.x };
    case 'wq':
    case 'wk':
    case 'wv':
      return { parts: [], note: why.learned };
    case 'q':
    case 'k':
    case 'v': {
      const weight = `w${matrix}` as const;
      const terms = sumOf(rowByRow(of('x'), row, of(weight), col), 'x', matrix);
      return { parts: terms, note: why.projected };
    }
    case 'scores': {
      if (hidden) return { parts: [], note: why.hidden };
      const terms = sumOf(rowByRow(of('q'), row, of('k'), col), 'q', 'k');
      return { parts: halved(terms), note: why.scores };
    }
    case 'weights':
    case 'said': {
      if (matrix === 'weights' && hidden) return { parts: [], note: why.hidden };
      const scores = matrix === 'weights' ? 'scores' : 'output';
      const all = rowOf(of(scores), row).slice(0, matrix === 'weights' ? row + 1 : undefined);
      const parts = shareParts(all[col], all);
      return { parts, note: matrix === 'weights' ? why.weights : why.said };
    }
    case 'output': {
      const terms = sumOf(
        rowByCol(of('weights'), row, of('v'), col).slice(0, row + 1),
        'weight',
        'v',
      );
      return { parts: terms, note: why.output };
    }
    case 'loss': {
      const parts = [
        { text: '−ln( ' },
        factor(value('said', row, targets[row]), 'weight'),
        { text: ' )' },
      ];
      return { parts, note: why.surprise({ target: vocabulary[targets[row]] }) };
    }
    case 'doutput': {
      const right = targets[row] === col;
      const parts = [
        ...[open, factor(value('said', row, col), 'weight')],
        { text: ` − ${right ? 1 : 0} ) / 4` },
      ];
      const target = vocabulary[targets[row]];
      return { parts, note: right ? why.doutputRight({ target }) : why.doutput({ target }) };
    }
    case 'dweights': {
      if (hidden) return { parts: [], note: why.hidden };
      const terms = sumOf(rowByRow(of('doutput'), row, of('v'), col), 'x', 'v');
      return { parts: terms, note: why.dweights };
    }
    case 'dv': {
      const terms = sumOf(
        colByCol(of('weights'), row, of('doutput'), col).slice(row),
        'weight',
        'x',
      );
      return { parts: terms, note: why.dv };
    }
    case 'dscores': {
      if (hidden) return { parts: [], note: why.hidden };
      const terms = sumOf(
        rowByRow(of('weights'), row, of('dweights'), row).slice(0, row + 1),
        'weight',
        'x',
      );
      const begin = [factor(value('weights', row, col), 'weight'), { text: '·( ' }];
      const parts = [
        ...begin,
        { text: inText(value('dweights', row, col)), role: 'x' },
        ...[{ text: ' − ( ' }, ...terms, { text: ' ) )' }],
      ];
      return { parts, note: why.dscores };
    }
    case 'dq': {
      const terms = sumOf(rowByCol(of('dscores'), row, of('k'), col).slice(0, row + 1), 'x', 'k');
      return { parts: halved(terms), note: why.dq };
    }
    case 'dk': {
      const terms = sumOf(colByCol(of('dscores'), row, of('q'), col).slice(row), 'x', 'q');
      return { parts: halved(terms), note: why.dk };
    }
    case 'dwq':
    case 'dwk':
    case 'dwv': {
      const gradient = `d${matrix[2] as 'q' | 'k' | 'v'}` as const;
      const terms = sumOf(colByCol(of(gradient), row, of('x'), col), 'x', 'x');
      return { parts: terms, note: why.dw };
    }
  }
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: LearnCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));
