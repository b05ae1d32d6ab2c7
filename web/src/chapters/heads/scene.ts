// From the core's answer to matrices that can be drawn, and why each number is what it is.
import type { LayerAnswer } from '../../compute/lessons/heads';
import { at, type MatrixData } from '../../compute/protocol';
import type { Axis, Drawn, LabelGroup, MatrixSymbol } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Mark } from '../../figures/pointing.svelte';
import {
  drawnOf,
  letter,
  markCell,
  markRow,
  rowByCol,
  rowByRow,
  softmaxParts,
  word,
  wordAxis,
  type Look,
} from '../../figures/scene';
import { largestOf, whyAt, type Part, type Why } from '../../figures/why';
import type { Cell } from '../../state/cell';
import type { ProjectionId, SplitId } from '../../state/heads';
import {
  circuitHeads,
  groups,
  headWidth,
  heads,
  stacked,
  layers,
} from '../../compute/handmade/heads-circuit';
import text from '$texts/heads.yaml';

export function tokenAxis(title: string, labels: readonly string[]): Axis {
  const names = labels.map((label) => (label === text.startSign ? text.startName : label));
  return wordAxis(labels, title, names);
}

function runs(parts: readonly LabelGroup[], title: string): Axis {
  const count = ({ count: many }: LabelGroup) => Array.from({ length: many }, (_, i) => i + 1);
  return {
    title,
    names: parts.flatMap((part) => count(part).map((i) => `${part.name} ${i}`)),
    short: parts.flatMap((part) => count(part).map((i) => (part.count === 1 ? '' : String(i)))),
    groups: parts,
  };
}

const inputGroups = groups.map(({ id, from, count }) => ({ name: text.groups[id], from, count }));
const headGroups = Array.from({ length: heads }, (_, head) => ({
  name: text.headName({ head: head + 1 }),
  from: head * headWidth,
  count: headWidth,
}));
const inputAxis = runs(inputGroups, text.titles.input);
const packedAxis = runs(headGroups, text.titles.packed);
const entryAxis: Axis = {
  ...runs([{ name: '', from: 0, count: headWidth }], text.titles.entry),
  groups: undefined,
};

/** Heads' results, or anything [T, D] each, side by side. */
function sideBySide(parts: readonly MatrixData[]): MatrixData {
  const [{ rows, cols }] = parts;
  const data = new Float32Array(rows * cols * parts.length);
  parts.forEach((part, which) => {
    for (let row = 0; row < rows; ++row) {
      const found = part.data.subarray(row * cols, (row + 1) * cols);
      data.set(found, (row * parts.length + which) * cols);
    }
  });
  return { rows, cols: cols * parts.length, data };
}

/** The rows of W_Q, W_K or W_V for all heads, [H D, C]. */
function projectionOf(which: ProjectionId): MatrixData {
  const { cols, data } = stacked(layers[0]);
  const rows = heads * headWidth;
  const from = ['q', 'k', 'v'].indexOf(which) * rows * cols;
  return { rows, cols, data: data.slice(from, from + rows * cols) };
}

export interface Scene {
  readonly layer: LayerAnswer;
  readonly projection: ProjectionId;
  /** W of the shown projection, and W_O. */
  readonly weight: MatrixData;
  readonly outputWeight: MatrixData;
  readonly drawn: Readonly<Record<SplitId, Drawn>>;
}

export const weightsDrawn = (
  id: string,
  matrix: MatrixData,
  labels: readonly string[],
  symbol: MatrixSymbol,
): Drawn =>
  drawnOf(id, matrix, {
    ...{ symbol, role: 'weight', kind: 'weights' },
    rows: tokenAxis(text.titles.query, labels),
    cols: tokenAxis(text.titles.key, labels),
    // All heads of this chapter are causal.
    hidden: (row, col) => col > row,
  });

interface Options {
  readonly layer: LayerAnswer;
  readonly outputWeight: MatrixData;
  readonly projection: ProjectionId;
  readonly labels: readonly string[];
}

export function sceneOf({ layer, outputWeight, projection, labels }: Options): Scene {
  const { titles, symbols } = text;
  const packed = layer.packed[projection];
  const parts = { q: layer.queries, k: layer.keys, v: layer.values }[projection];
  const concat = sideBySide(layer.blends);
  const tokens = tokenAxis(titles.token, labels);
  const base = symbols.packed[projection];
  const number = (n: number) => String(n + 1);
  const draw = (
    id: SplitId,
    matrix: MatrixData,
    look: Pick<Look, 'symbol' | 'role' | 'cols'> & Partial<Look>,
  ) => drawnOf(id, matrix, { rows: tokens, ...look });
  /** What is split stands on the scale of the whole. */
  const packedLook = { role: projection, end: scaleEnd(packed.data), shared: true };
  const concatLook = { role: 'v', end: scaleEnd(concat.data), shared: true } as const;
  const all: Drawn[] = [
    draw('x', layer.x, { symbol: letter('X'), role: 'x', cols: inputAxis }),
    draw('packed', packed, { symbol: letter(base), role: projection, cols: packedAxis }),
    draw('concat', concat, { symbol: word(symbols.heads), role: 'v', cols: packedAxis }),
    draw('wo', outputWeight, {
      ...{ symbol: letter('W', 'O'), role: 'v', cols: packedAxis },
      rows: { ...inputAxis, title: titles.output },
    }),
    draw('output', layer.output, { symbol: word(symbols.output), role: 'v', cols: inputAxis }),
    ...parts.map((part, head) =>
      draw(`part${head + 1}` as SplitId, part, {
        ...{ ...packedLook, symbol: letter(base, number(head)), cols: entryAxis },
      }),
    ),
    ...layer.weights.map((weights, head) =>
      weightsDrawn(`map${head + 1}`, weights, labels, word(symbols.weights, number(head))),
    ),
    ...layer.blends.map((blend, head) =>
      draw(`blend${head + 1}` as SplitId, blend, {
        ...{ ...concatLook, symbol: word(symbols.head, number(head)), cols: entryAxis },
      }),
    ),
  ];
  const drawn = Object.fromEntries(all.map((each) => [each.id, each])) as Record<SplitId, Drawn>;
  return { layer, projection, weight: projectionOf(projection), outputWeight, drawn };
}

/** A head's number, from 0, by the id of one of its matrices; null for matrices of all heads. */
function headOf(id: SplitId): number | null {
  const found = /\d$/u.exec(id);
  return found ? Number(found[0]) - 1 : null;
}

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: Cell<SplitId>): Mark[] {
  const line = (id: SplitId) => markRow(drawn[id], row);
  const spot = (id: SplitId, r: number, c: number) => markCell(id, r, c);
  const head = headOf(matrix);
  const [which, entry] = [Math.floor(col / headWidth), col % headWidth];
  if (matrix === 'packed') return [...line('x'), spot(`part${which + 1}` as SplitId, row, entry)];
  if (matrix === 'concat') return [spot(`blend${which + 1}` as SplitId, row, entry)];
  if (matrix === 'output') return [...line('concat'), ...markRow(drawn.wo, col)];
  if (matrix.startsWith('part')) return [spot('packed', row, head! * headWidth + col)];
  if (matrix.startsWith('blend')) {
    return [...line(`map${head! + 1}` as SplitId), spot('concat', row, head! * headWidth + col)];
  }
  return [];
}

function explain(
  scene: Scene,
  { matrix, row, col }: Cell<SplitId>,
): { parts: Part[]; note: string } {
  const { layer, weight, outputWeight, projection, drawn } = scene;
  const { why } = text;
  const head = headOf(matrix);
  const projected = (out: number) => {
    const found = rowByRow(layer.x, row, weight, out);
    return { parts: largestOf(found, 'x', projection), note: why.projected };
  };
  if (matrix === 'x') return { parts: [], note: col < groups[3].from ? why.x : why.before };
  if (matrix === 'packed') return projected(col);
  if (matrix === 'wo') return { parts: [], note: why.wo };
  if (matrix === 'output') {
    const { concat } = drawn;
    const found = rowByRow(concat.matrix, row, outputWeight, col);
    return { parts: largestOf(found, 'v', 'v'), note: why.output };
  }
  if (matrix === 'concat') {
    const note = why.concat({
      head: Math.floor(col / headWidth) + 1,
      entry: (col % headWidth) + 1,
    });
    return { parts: [], note };
  }
  if (matrix.startsWith('part')) return projected(head! * headWidth + col);
  if (matrix.startsWith('map')) {
    const parts = col > row ? [] : softmaxParts(layer.masked[head!], row, col);
    return { parts, note: col > row ? text.circuit.hidden : why.weights };
  }
  const [weights, values] = [layer.weights[head!], layer.values[head!]];
  const found = rowByCol(weights, row, values, col);
  return { parts: largestOf(found, 'weight', 'v'), note: why.blend };
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: Cell<SplitId>): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));

export const headName = (layer: number, head: number) =>
  text.headNames[circuitHeads[layer - 1][head - 1]];

/** The key with the largest weight of a row. */
export function mostSeen(weights: MatrixData, row: number): number {
  let most = 0;
  for (let col = 1; col <= row; ++col) {
    if (at(weights, row, col) > at(weights, row, most)) most = col;
  }
  return most;
}
