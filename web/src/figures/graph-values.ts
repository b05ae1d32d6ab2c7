// The values of a graph as matrices that are drawn, and what each is made of; without what reads a graph, which is larger.
import type { Graph } from 'tril/graph';
import { at, type MatrixData } from '../compute/page/protocol';
import type { NodeValues } from '../compute/worker/lessons/graph';
import type { Place } from './grid';
import type { Drawn } from './matrix';
import type { Role } from './palette.svelte';
import type { Mark } from './pointing.svelte';
import { drawnOf, type Look } from './scene';
import type { Part } from './why';

/** Matrices of one size as one tensor, one after another. */
export const stacked = (all: readonly MatrixData[]) => ({
  shape: [all.length, all[0].rows, all[0].cols],
  data: Float32Array.from(all.flatMap(({ data }) => [...data])),
});

/** Numbers as a matrix of so many columns. */
export const tensorOf = (numbers: readonly number[], cols: number) => ({
  shape: [numbers.length / cols, cols],
  data: Float32Array.from(numbers),
});

/** The last two axes of a value, at a place in those before them. */
export function matrixOf(values: NodeValues, node: string, front: readonly number[] = []) {
  const { shape, data } = values[node];
  const [rows, cols] = [1, 1, ...shape].slice(-2);
  const nth = shape
    .slice(0, -2)
    .reduce((sum, size, axis) => sum * size + front[front.length - shape.length + 2 + axis], 0);
  return { rows, cols, data: data.subarray(nth * rows * cols, (nth + 1) * rows * cols) };
}

/** Its first rows and columns. */
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
  /** The value that it shows, if not the one of its own name. */
  readonly node?: string;
  /** Where it is in the axes before rows and columns, if not where the others are. */
  readonly front?: readonly number[];
  readonly look: Look;
  /** What is said of a cell below its equation. */
  readonly note: string | ((cell: Place) => string);
  /** Its reason writes only what counts: the largest products of a sum, the powers of what is seen. */
  readonly brief?: boolean;
  /** Its reason leaves out products that a mask makes 0. */
  readonly seen?: boolean;
  /** Of what is hidden nothing is said but the note, and nothing lights up. */
  readonly dark?: boolean;
  /** Its reason in its own words, for cells of which it gives some; of others as the graph has it. */
  readonly say?: (cell: Place) => readonly Part[] | null;
  /** A number that was only moved is explained as the number that it is a copy of. */
  readonly through?: boolean;
  /** What else lights up with a cell. */
  readonly also?: (cell: Place) => readonly Mark[];
}

/** A graph, and what was found of it. */
export interface Found {
  readonly graph: Graph;
  readonly values: NodeValues;
}

/** What a figure shows of a graph. */
export interface Showing<Id extends string> extends Found {
  /** In the order in which they are made. */
  readonly shown: Readonly<Partial<Record<Id, Shown>>>;
  /** Where its matrices are in the axes before rows and columns. */
  readonly front?: readonly number[];
  /** Of rows and of columns, no more are shown (default all). */
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

/** The matrices that one is made of, and the operation that makes it. */
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
  // A value that is seen twice is made of itself, as it stands first.
  if (first.id !== id) return { operation: null, sources: [first.id] };
  return { operation, sources: [...new Set(inputs.flatMap(from))] };
}
