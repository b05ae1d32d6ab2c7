// The values of a graph as matrices to draw, and the sources of each. It does not import the graph's readers, which are
// larger.
import type { Graph } from 'tril/graph';
import { at, type MatrixData } from '../compute/page/protocol';
import type { NodeValues } from '../compute/worker/lessons/graph';
import type { Place } from './grid';
import type { Drawn } from './matrix';
import type { Role } from './palette.svelte';
import type { Mark } from './pointing.svelte';
import { drawnOf, type Look } from './scene';
import { foundAt, type Part, type Why } from './why';

/** Stacks matrices of one size into one tensor. */
export const stacked = (all: readonly MatrixData[]) => ({
  shape: [all.length, all[0].rows, all[0].cols],
  data: Float32Array.from(all.flatMap(({ data }) => [...data])),
});

/** Numbers as a matrix with `cols` columns. */
export const tensorOf = (numbers: readonly number[], cols: number) => ({
  shape: [numbers.length / cols, cols],
  data: Float32Array.from(numbers),
});

/** The last two axes of a value, at an index of the axes before them. */
export function matrixOf(values: NodeValues, node: string, front: readonly number[] = []) {
  const { shape, data } = values[node];
  const [rows, cols] = [1, 1, ...shape].slice(-2);
  const nth = shape
    .slice(0, -2)
    .reduce((sum, size, axis) => sum * size + front[front.length - shape.length + 2 + axis], 0);
  return { rows, cols, data: data.subarray(nth * rows * cols, (nth + 1) * rows * cols) };
}

/** The first rows and columns of a matrix. */
function cut(whole: MatrixData, most: number): MatrixData {
  const [rows, cols] = [Math.min(whole.rows, most), Math.min(whole.cols, most)];
  if (rows === whole.rows && cols === whole.cols) return whole;
  const data = new Float32Array(rows * cols).map((_, i) =>
    at(whole, Math.floor(i / cols), i % cols),
  );
  return { rows, cols, data };
}

/** A matrix of a figure. */
export interface Shown {
  /** The value that it shows (default: the value of its own name). */
  readonly node?: string;
  /** Index of the axes before rows and columns (default: the index of the other matrices). */
  readonly front?: readonly number[];
  readonly look: Look;
  /** Text about a cell, below its equation. */
  readonly note: string | ((cell: Place) => string);
  /** The explanation shows only what matters: the largest products of a sum, the powers of visible scores. */
  readonly brief?: boolean;
  /** The explanation omits products that a mask makes 0. */
  readonly seen?: boolean;
  /** A hidden cell has only its note, and no highlights. */
  readonly dark?: boolean;
  /** Explains some cells in its own words; for null the graph explains the cell. */
  readonly say?: (cell: Place) => readonly Part[] | null;
  /** A number that was only moved is explained as the number that it copies. */
  readonly through?: boolean;
  /** Additional highlights of a cell. */
  readonly also?: (cell: Place) => readonly Mark[];
}

/** A graph and its computed values. */
export interface Found {
  readonly graph: Graph;
  readonly values: NodeValues;
}

/** A graph and the matrices that a figure shows of it. */
export interface Showing<Id extends string> extends Found {
  /** The matrices, in the order in which they are computed. */
  readonly shown: Readonly<Partial<Record<Id, Shown>>>;
  /** Index of its matrices in the axes before rows and columns. */
  readonly front?: readonly number[];
  /** Maximum number of rows and of columns shown (default all). */
  readonly most?: number;
  /** The colours of values that are not shown. */
  readonly roles?: Readonly<Record<string, Role>>;
}

const entriesOf = <Id extends string>(shown: Showing<Id>['shown']) =>
  Object.entries(shown) as [Id, Shown][];

export function drawnFrom<Id extends string>({ shown, values, front, most }: Showing<Id>) {
  const drawn = entriesOf(shown).map(([id, { node = id, front: own = front, look }]) => {
    return [id, drawnOf(id, cut(matrixOf(values, node, own), most ?? Infinity), look)] as const;
  });
  return Object.fromEntries(drawn) as Readonly<Partial<Record<Id, Drawn>>>;
}

/** The explanation of a cell whose matrix has its own words for it; null for other cells, and outside of the matrix. */
export function saidAt(drawn: Drawn | undefined, { say, note }: Shown, cell: Place): Why | null {
  const found = foundAt(drawn, cell);
  const parts = found && say?.(cell);
  return parts ? { ...found, parts, note: typeof note === 'string' ? note : note(cell) } : null;
}

/** The sources of a matrix, and the operation that computes it. */
export function madeOf<Id extends string>({ graph, shown }: Showing<Id>, id: Id) {
  const all = entriesOf(shown).map(([id, { node = id }]) => ({ id, node }));
  const nodeOf = (name: string) => graph.nodes.find((node) => node.name === name)!;
  const from = (name: string): readonly Id[] => {
    const last = all.findLast(({ node }) => node === name);
    return last ? [last.id] : nodeOf(name).inputs.flatMap(from);
  };
  const { node } = all.find((each) => each.id === id)!;
  const [first] = all.filter((each) => each.node === node);
  const { operation, inputs } = nodeOf(node);
  // A value that is shown twice has its first matrix as its source.
  if (first.id !== id) return { operation: null, sources: [first.id] };
  return { operation, sources: [...new Set(inputs.flatMap(from))] };
}
