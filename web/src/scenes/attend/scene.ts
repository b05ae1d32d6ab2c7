// From what the visitor entered and what the core answered to matrices that can be drawn.
import { at, matrixIds, rowOf, type MatrixData, type MatrixId } from '../../compute/page/protocol';
import type { AttendResult } from '../../compute/worker/lessons/attend';
import { matrixOf, type Shown, type Showing } from '../../figures/graph-values';
import {
  numerals,
  plain,
  type Axis,
  type Drawn,
  type LabelGroup,
  type MatrixSymbol,
} from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import { scaleEnd } from '../../figures/paint';
import { differences, drawnOf, letter, word, wordAxis, type Look } from '../../figures/scene';
import { positions, weightIds, type WeightId } from '../../compute/shared/handmade/attend-heads';
import type { Cell } from '../../state/cell';
import { isSquare } from '../../state/attend-steps';
import text from '$texts/attend.yaml';
import { labelsOf, type Entered } from '../../entered/labels';
import type { Tokens } from '../../entered/tokens';
import { saidOf } from './why';

export interface Scene {
  readonly result: AttendResult;
  readonly content: Entered['kind'];
  /** T, C, d, d_v. */
  readonly length: number;
  readonly inputs: number;
  readonly headWidth: number;
  readonly valueWidth: number;
  readonly causal: boolean;
  /** Labels of the T tokens or rows, all different, and what sentences call them. */
  readonly labels: readonly string[];
  readonly names: readonly string[];
  readonly tokens: Tokens | null;
  /** Columns of X. */
  readonly groups: readonly LabelGroup[];
  readonly drawn: Readonly<Record<MatrixId, Drawn>>;
  /** The graph's matrices for its reader. */
  readonly showing: Showing<MatrixId>;
}

const nodes: Partial<Record<MatrixId, string>> = {
  ...{ x: 'X', wq: 'W_Q', wk: 'W_K', wv: 'W_V', q: 'Q', k: 'K', v: 'V' },
};
/** The node of a matrix; without a mask, the masked scores are the scaled ones. */
const nodeOf = (id: MatrixId, { values }: AttendResult): string =>
  id === 'masked' && !values.masked ? 'scaled' : (nodes[id] ?? id);
const numbersOf = (id: MatrixId, result: AttendResult) =>
  matrixOf(result.values, nodeOf(id, result));

function groupsOf(width: number, content: Entered['kind']): LabelGroup[] {
  const { one, who, what, where } = text.axes;
  return [
    { name: one, from: 0, count: 1 },
    { name: content === 'tokens' ? who : what, from: 1, count: width },
    { name: where, from: 1 + width, count: positions.width },
  ];
}

function inputAxis(groups: readonly LabelGroup[]): Axis {
  const names = groups.flatMap(({ name, count }) =>
    Array.from({ length: count }, (_, i) => (count === 1 ? name : `${name} ${i + 1}`)),
  );
  const short = groups.flatMap(({ count }) =>
    Array.from({ length: count }, (_, i) => (count === 1 ? '' : String(i + 1))),
  );
  return { title: text.axes.input, names, short, groups };
}

const roles: Record<MatrixId, Role> = {
  x: 'x',
  wq: 'q',
  wk: 'k',
  wv: 'v',
  q: 'q',
  k: 'k',
  v: 'v',
  scores: 'score',
  scaled: 'score',
  masked: 'score',
  weights: 'weight',
  output: 'v',
};

function symbolOf(id: MatrixId): MatrixSymbol {
  if (id === 'wq' || id === 'wk' || id === 'wv') {
    return letter('W', id[1].toUpperCase());
  }
  if (id === 'x' || id === 'q' || id === 'k' || id === 'v') return letter(id.toUpperCase());
  return word(text.symbols[id]);
}

function axesOf(
  id: MatrixId,
  { rows, cols }: MatrixData,
  scene: Omit<Scene, 'drawn' | 'showing'>,
): { rows: Axis; cols: Axis } {
  const { axes } = text;
  const words = scene.content === 'tokens';
  const tokens = (title: string) => ({ ...wordAxis(scene.labels, title, scene.names), words });
  if (isSquare(id)) return { rows: tokens(axes.query), cols: tokens(axes.key) };
  if (id === 'x') return { rows: tokens(axes.token), cols: inputAxis(scene.groups) };
  if (id === 'wq' || id === 'wk' || id === 'wv') {
    return { rows: numerals(rows, axes.output), cols: inputAxis(scene.groups) };
  }
  const title = id === 'q' || id === 'output' ? axes.query : axes.key;
  return { rows: tokens(title), cols: numerals(cols, axes.width) };
}

/** The row of weights that is looked at, from the mask to the output; else the last. */
export function rowShown({ length }: Pick<Scene, 'length'>, shown: Cell<MatrixId> | null): number {
  const looked = shown && ['masked', 'weights', 'output'].includes(shown.matrix);
  return looked ? Math.min(shown.row, length - 1) : length - 1;
}

/** Entries of V that a plane shows: those chosen, counted from 1, else the hand that turns with every token or the first two. */
export function planeOf(
  { tokens, valueWidth }: Pick<Scene, 'tokens' | 'valueWidth'>,
  chosen: { readonly across: number; readonly up: number },
): { across: number; up: number } {
  const usual = tokens ? valueWidth - 2 : 0;
  const entry = (place: number, otherwise: number) =>
    Math.min(place > 0 ? place - 1 : otherwise, valueWidth - 1);
  return { across: entry(chosen.across, usual), up: entry(chosen.up, usual + 1) };
}

/** The largest weight of a row. */
export function heaviest({ drawn }: Scene, row: number): Cell<MatrixId> {
  const weights = rowOf(drawn.weights.matrix, row);
  return { matrix: 'weights', row, col: Math.max(0, weights.indexOf(Math.max(...weights))) };
}

export interface SceneOptions {
  readonly entered: Entered;
  readonly causal: boolean;
  readonly result: AttendResult;
  /** Before the last edit, to mark what it changed. */
  readonly before: AttendResult | null;
  /** The head's weights without the visitor's edits. */
  readonly unedited: Readonly<Record<WeightId, MatrixData>>;
}

export function sceneOf({ entered, causal, result, before, unedited }: SceneOptions): Scene {
  const [x, q, v] = (['x', 'q', 'v'] as const).map((id) => numbersOf(id, result));
  const labels = labelsOf(entered);
  const groups = groupsOf(x.cols - 1 - positions.width, entered.kind);
  const scene = {
    result,
    content: entered.kind,
    length: x.rows,
    inputs: x.cols,
    headWidth: q.cols,
    valueWidth: v.cols,
    causal,
    labels,
    names: entered.kind === 'tokens' ? labels : labels.map((row) => text.rowName({ row })),
    tokens: entered.kind === 'tokens' ? entered : null,
    groups,
  };
  const scoresEnd = scaleEnd(result.values.scores.data);
  const entries = matrixIds.map((id): [MatrixId, Drawn] => {
    const matrix = numbersOf(id, result);
    const isWeight = weightIds.includes(id as WeightId);
    const hides = causal && (id === 'masked' || id === 'weights');
    const look: Look = {
      ...{ symbol: symbolOf(id), role: roles[id], ...axesOf(id, matrix, scene) },
      ...(id === 'weights' && { kind: 'weights' }),
      // Scores, scaled and masked share a scale, so that scaling is seen.
      ...(isSquare(id) && id !== 'weights' && { end: scoresEnd, shared: true }),
      // A NaN shows through the mask: a row that has one is NaN throughout.
      hidden: hides ? (row, col) => col > row && !Number.isNaN(at(matrix, row, col)) : plain.hidden,
      changed: differences(matrix, before && numbersOf(id, before)),
      edited: isWeight ? differences(matrix, unedited[id as WeightId]) : null,
      editable: isWeight || (id === 'x' && entered.kind === 'numbers'),
    };
    return [id, drawnOf(id, matrix, look)];
  });
  const drawn = Object.fromEntries(entries) as Record<MatrixId, Drawn>;
  const said = saidOf({ ...scene, drawn });
  const shown = matrixIds.map((id): [MatrixId, Shown] => [
    id,
    { ...said[id], node: nodeOf(id, result), look: drawn[id] },
  ]);
  const { graph, values } = result;
  return { ...scene, drawn, showing: { graph, values, shown: Object.fromEntries(shown) } };
}
