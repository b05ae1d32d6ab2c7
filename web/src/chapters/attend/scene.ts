// From what the visitor entered and what the core answered to matrices that can be drawn.
import {
  at,
  matrixIds,
  type AttendResult,
  type MatrixData,
  type MatrixId,
} from '../../compute/protocol';
import {
  numerals,
  type Axis,
  type Drawn,
  type LabelGroup,
  type MatrixSymbol,
} from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import { scaleEnd } from '../../figures/paint';
import { positions, weightIds, type WeightId } from '../../compute/handmade/attend-heads';
import type { Cell } from '../../state/cell';
import { isSquare } from '../../state/attend-steps';
import text from '$texts/attend.yaml';
import { labelsOf, type Entered } from '../../entered/labels';
import type { Tokens } from '../../entered/tokens';

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
}

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
    return { base: 'W', sub: id[1].toUpperCase(), letter: true };
  }
  if (id === 'x' || id === 'q' || id === 'k' || id === 'v') {
    return { base: id.toUpperCase(), letter: true };
  }
  return { base: text.symbols[id], letter: false };
}

function axesOf(id: MatrixId, scene: Omit<Scene, 'drawn'>): { rows: Axis; cols: Axis } {
  const { axes } = text;
  const words = scene.content === 'tokens';
  const tokens = (title: string): Axis => ({
    title,
    names: scene.names,
    short: scene.labels,
    words,
  });
  const { rows, cols } = scene.result.matrices[id];
  if (isSquare(id)) return { rows: tokens(axes.query), cols: tokens(axes.key) };
  if (id === 'x') return { rows: tokens(axes.token), cols: inputAxis(scene.groups) };
  if (id === 'wq' || id === 'wk' || id === 'wv') {
    return { rows: numerals(rows, axes.output), cols: inputAxis(scene.groups) };
  }
  const title = id === 'q' || id === 'output' ? axes.query : axes.key;
  return { rows: tokens(title), cols: numerals(cols, axes.width) };
}

/** 1 where a and b differ in any bit that shows; null where nothing can be compared, or nothing does. */
function difference(now: MatrixData, before: MatrixData | undefined): Uint8Array | null {
  if (!before || before.rows !== now.rows || before.cols !== now.cols) return null;
  const changed = now.data.map((value, i) => (Object.is(value, before.data[i]) ? 0 : 1));
  return changed.includes(1) ? Uint8Array.from(changed) : null;
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
export function heaviest({ result, length }: Scene, row: number): Cell<MatrixId> {
  const weights = Array.from({ length }, (_, key) => at(result.matrices.weights, row, key));
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
  const { x, q, v } = result.matrices;
  const labels = labelsOf(entered);
  const groups = groupsOf(x.cols - 1 - positions.width, entered.kind);
  const scene: Omit<Scene, 'drawn'> = {
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
  const scoresEnd = scaleEnd(result.matrices.scores.data);
  const drawn = matrixIds.map((id): [MatrixId, Drawn] => {
    const matrix = result.matrices[id];
    const isWeight = weightIds.includes(id as WeightId);
    const hides = causal && (id === 'masked' || id === 'weights');
    return [
      id,
      {
        id,
        symbol: symbolOf(id),
        role: roles[id],
        matrix,
        ...axesOf(id, scene),
        kind: id === 'weights' ? 'weights' : 'signed',
        // Scores, scaled and masked share a scale, so that scaling is seen.
        end: isSquare(id) ? scoresEnd : scaleEnd(matrix.data),
        shared: isSquare(id) && id !== 'weights',
        // A NaN shows through the mask: a row that has one is NaN throughout.
        hidden: hides
          ? (row: number, col: number) => col > row && !Number.isNaN(at(matrix, row, col))
          : () => false,
        changed: difference(matrix, before?.matrices[id]),
        edited: isWeight ? difference(matrix, unedited[id as WeightId]) : null,
        editable: isWeight || (id === 'x' && entered.kind === 'numbers'),
      },
    ];
  });
  return { ...scene, drawn: Object.fromEntries(drawn) as Record<MatrixId, Drawn> };
}
