// Converts the core's answer to matrices to draw, with the explanation of each number.
import type { NodeValues } from '../../compute/worker/lessons/graph';
import { at, type MatrixData } from '../../compute/page/protocol';
import { GraphScene, matrixOf, type Shown } from '../../figures/graph';
import type { Axis, Drawn, LabelGroup, MatrixSymbol } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import { drawnOf, letter, markCell, word, wordAxis, type Look } from '../../figures/scene';
import type { ProjectionId, SplitId } from '../../state/heads';
import {
  circuitHeads,
  groups,
  headWidth,
  heads,
} from '../../compute/shared/handmade/heads-circuit';
import { layerGraph } from '../../compute/shared/handmade/heads-graph';
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

const headNumbers = Array.from({ length: heads }, (_, head) => head);

/** One map for each head. */
export const mapsOf = (layer: NodeValues): MatrixData[] =>
  headNumbers.map((head) => matrixOf(layer, 'weights', [head]));

const mapLook = (labels: readonly string[], symbol: MatrixSymbol): Look => ({
  ...{ symbol, role: 'weight', kind: 'weights' },
  rows: tokenAxis(text.titles.query, labels),
  cols: tokenAxis(text.titles.key, labels),
  // All heads of this chapter are causal.
  hidden: (row, col) => col > row,
});

export const weightsDrawn = (
  id: string,
  matrix: MatrixData,
  labels: readonly string[],
  symbol: MatrixSymbol,
): Drawn => drawnOf(id, matrix, mapLook(labels, symbol));

/** One complete layer; the chosen projection is the one that is split. */
export function sceneOf(
  values: NodeValues,
  projection: ProjectionId,
  labels: readonly string[],
): GraphScene<SplitId> {
  const { titles, symbols, why } = text;
  const rows = tokenAxis(titles.token, labels);
  const packed = projection.toUpperCase();
  const base = symbols.packed[projection];
  /** The split parts have the scale of the complete matrix. */
  const onScaleOf = (node: string) => ({ end: scaleEnd(values[node].data), shared: true });
  const look = (role: Role, symbol: MatrixSymbol, cols: Axis) => ({ rows, role, symbol, cols });
  const each = (name: string, shown: (head: number, number: string) => Shown) =>
    Object.fromEntries(
      headNumbers.map((head) => [
        `${name}${head + 1}`,
        { front: [head], ...shown(head, String(head + 1)) },
      ]),
    );
  const [headOf, entryOf] = [
    (n: number) => Math.floor(n / headWidth),
    (n: number) => n % headWidth,
  ];
  return new GraphScene<SplitId>({
    ...{ graph: layerGraph, values, roles: { W_in: projection, v: 'v' } },
    shown: {
      x: {
        ...{ node: 'X', look: look('x', letter('X'), inputAxis) },
        note: ({ col }) => (col < groups[3].from ? why.x : why.before),
      },
      packed: {
        ...{ node: packed, look: look(projection, letter(base), packedAxis) },
        ...{ note: why.projected, brief: true },
        also: ({ row, col }) => [markCell(`part${headOf(col) + 1}`, row, entryOf(col))],
      },
      ...each('part', (_, number) => ({
        node: projection,
        look: { ...look(projection, letter(base, number), entryAxis), ...onScaleOf(packed) },
        ...{ note: why.projected, brief: true, through: true },
      })),
      ...each('map', (_, number) => ({
        ...{ node: 'weights', look: mapLook(labels, word(symbols.weights, number)) },
        ...{ brief: true, dark: true },
        note: ({ row, col }) => (col > row ? text.circuit.hidden : why.weights),
      })),
      ...each('blend', (head, number) => ({
        node: 'blends',
        look: { ...look('v', word(symbols.head, number), entryAxis), ...onScaleOf('concat') },
        ...{ note: why.blend, brief: true },
        also: ({ row, col }) => [markCell('concat', row, head * headWidth + col)],
      })),
      concat: {
        look: look('v', word(symbols.heads), packedAxis),
        note: ({ col }) => why.concat({ head: headOf(col) + 1, entry: entryOf(col) + 1 }),
      },
      wo: {
        node: 'W_O',
        look: {
          ...look('v', letter('W', 'O'), packedAxis),
          rows: { ...inputAxis, title: titles.output },
        },
        note: why.wo,
      },
      output: {
        look: look('v', word(symbols.output), inputAxis),
        ...{ note: why.output, brief: true },
      },
    },
  });
}

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
