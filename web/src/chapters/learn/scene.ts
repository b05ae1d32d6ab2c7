// Converts the core's answer to matrices to draw, with the explanation of each number, forward and backward.
import {
  gradientOf,
  ids,
  targets,
  vocabulary,
  type StageId,
} from '../../compute/shared/handmade/learn-head';
import { stepGraph } from '../../compute/shared/handmade/learn-graph';
import type { NodeValues } from '../../compute/worker/lessons/graph';
import { GraphScene, type Shown } from '../../figures/graph';
import type { Place } from '../../figures/grid';
import { numerals, type Axis, type MatrixSymbol } from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import { letter, word, wordAxis } from '../../figures/scene';
import { stageOf, type LearnCell } from '../../state/learn';
import text from '$texts/learn.yaml';

type LearnId = LearnCell['matrix'];
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
const masked: readonly StageId[] = ['scores', 'weights'];

/** A number, and its gradient on a scale of its own. */
function pairOf(
  stage: StageId,
  note: Shown['note'],
  back: Shown['note'],
  more: Partial<Shown> = {},
) {
  const isMasked = masked.includes(stage);
  const both = { titled: false, ...(isMasked && { hidden: later }) } as const;
  const { symbol } = looks[stage];
  const dark = isMasked && { dark: true };
  const unless = (said: Shown['note']): Shown['note'] =>
    isMasked ? (cell) => (later(cell.row, cell.col) ? text.why.hidden : noteOf(said, cell)) : said;
  return {
    [stage]: {
      look: { ...looks[stage], ...both, ...(stage === 'weights' && { kind: 'weights' }) },
      ...{ note: unless(note), seen: true, ...dark, ...more },
    },
    [gradientOf(stage)]: {
      look: {
        ...{ ...looks[stage], ...both, role: 'x' },
        symbol: { ...symbol, base: `∂${symbol.base}` },
      },
      ...{ note: unless(back), seen: true, ...dark },
    },
  };
}

const noteOf = (note: Shown['note'], cell: Place) => (typeof note === 'string' ? note : note(cell));

export function sceneOf(values: NodeValues): GraphScene<LearnId> {
  const { why } = text;
  const flat = { titled: false } as const;
  const target = (row: number) => ({ target: vocabulary[targets[row]] });
  const weights = (['wq', 'wk', 'wv'] as const).map((id) => pairOf(id, why.learned, why.dw));
  const shown = {
    ...Object.assign({}, ...weights),
    ...pairOf('q', why.projected, why.dq),
    ...pairOf('k', why.projected, why.dk),
    ...pairOf('v', why.projected, why.dv),
    ...pairOf('scores', why.scores, why.dscores),
    ...pairOf('weights', why.weights, why.dweights, { brief: true }),
    ...pairOf('output', why.output, ({ row, col }) =>
      targets[row] === col ? why.doutputRight(target(row)) : why.doutput(target(row)),
    ),
    x: {
      look: { ...flat, role: 'x', symbol: letter('X'), rows: keys, cols: entries(3) },
      note: why.x,
    },
    said: {
      look: {
        ...({ ...flat, role: 'weight', kind: 'weights', symbol: word(symbols.said) } as const),
        ...{ rows: queries, cols: classes },
      },
      ...{ note: why.said, brief: true },
    },
    loss: {
      look: { ...flat, role: 'v', symbol: word(symbols.loss), rows: queries, cols: surprise },
      note: ({ row }) => why.surprise(target(row)),
    },
  } as Record<LearnId, Shown>;
  return new GraphScene({ graph: stepGraph, values, shown });
}

/** The number of the forward pass that belongs to a cell, if it may be nudged. */
export function nudgedOf(cell: LearnCell | null) {
  const stage = cell && stageOf(cell.matrix);
  if (!stage || (masked.includes(stage) && later(cell.row, cell.col))) return null;
  return { stage, row: cell.row, col: cell.col };
}
