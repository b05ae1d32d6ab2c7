// Figures of graphs: matrices, highlights, explanations, programs and costs, all read from the graph and its computed
// values. A figure adds the positions and looks of its matrices, and a sentence for each.
import { program, sources, why } from 'tril/graph';
import type { Reason, ReasonCell, Size } from 'tril/graph';
import type { CostData } from '../compute/page/protocol';
import type { Query } from '../compute/page/query.svelte';
import { costOfGraph } from '../compute/shared/lessons/graph-cost';
import type { Cell } from '../state/cell';
import { inText } from './format';
import type { Place } from './grid';
import type { Drawn } from './matrix';
import type { Mark } from './pointing.svelte';
import { cppComment, pythonComment } from './quoting';
import type { Role } from './palette.svelte';
import { drawnFrom, type Found, type Showing, type Shown } from './graph-values';
import { shareParts } from './scene';
import { factor, largestOf, whyAt, type Part, type Why } from './why';

export { matrixOf, stacked, tensorOf, type Found, type Shown } from './graph-values';

interface GraphCell {
  readonly node: string;
  readonly index: readonly number[];
}

/** The text of a graph in the page's typography: brackets around sums have room. */
const set = (text: string): Part[] =>
  text
    .replaceAll(' * ', '·')
    .replaceAll('-', '−')
    .replaceAll('log(', 'ln(')
    .replaceAll('sqrt(', '√(')
    .replaceAll('(', '( ')
    .replaceAll(')', ' )')
    .split(/( \+ )/u)
    .filter(Boolean)
    .map((each) => ({ text: each }));

/** The parts without the brackets around negative numbers, which the page adds with the colour. */
function bared(parts: Reason['parts']): Reason['parts'] {
  const found = [...parts];
  for (const [i, part] of parts.entries()) {
    const [before, after] = [found[i - 1], found[i + 1]];
    if (typeof part === 'string' || !(part.value < 0)) continue;
    if (typeof before !== 'string' || typeof after !== 'string') continue;
    if (!before.endsWith('(') || !after.startsWith(')')) continue;
    [found[i - 1], found[i + 1]] = [before.slice(0, -1), after.slice(1)];
  }
  return found;
}

/** Whether parts are a product, which needs no brackets in a sum. */
const isProduct = (parts: readonly Part[]) =>
  parts.every(({ text }, i) => i % 2 === 0 || text === '·') && parts.length % 2 === 1;
const inSum = [undefined, ' + ', ' - '];

/** Operations that move numbers and change none. */
const moves = ['transpose', 'reshape', 'slice', 'take', 'concatenate', 'mask'];

/** One block if the cells form one, else a mark for each. */
function marksOf(matrix: string, cells: readonly Place[]): Mark[] {
  const ends = (places: readonly number[]) => [Math.min(...places), Math.max(...places)] as const;
  const [rows, cols] = [ends(cells.map(({ row }) => row)), ends(cells.map(({ col }) => col))];
  const isBlock = (rows[1] - rows[0] + 1) * (cols[1] - cols[0] + 1) === cells.length;
  if (isBlock) return [{ matrix, rows, cols }];
  return cells.map(({ row, col }) => ({ matrix, rows: [row, row], cols: [col, col] }));
}

/** The parts of a sentence with only the products of which both numbers count, unless none or more than `most` are left. */
function productsOf(
  { terms, parts }: Reason,
  counts: (cell: ReasonCell) => boolean,
  most = Infinity,
): Reason['parts'] {
  if (!terms.every(({ length }) => length === 2)) return parts;
  const left = terms.filter((term) => term.every(counts));
  const isCut = left.length > 0 && left.length < terms.length && left.length <= most;
  if (!isCut) return parts;
  return left.flatMap(([a, b], i) => [...(i > 0 ? [' + '] : []), a, ' * ', b]);
}

export class GraphScene<Id extends string> {
  readonly drawn: Readonly<Partial<Record<Id, Drawn>>>;
  readonly #options: Showing<Id>;
  readonly #shown: readonly (readonly [Id, Shown])[];

  constructor(options: Showing<Id>) {
    this.#options = options;
    this.#shown = Object.entries(options.shown) as [Id, Shown][];
    this.drawn = drawnFrom(options);
  }

  /** The highlights of a cell: the visible cells that are its sources. */
  sources = (cell: Cell<Id>): Mark[] => {
    const from = this.#cellOf(cell);
    const [first] = this.#idsOf(from);
    const { row, col } = cell;
    // A value that is shown twice has its first matrix as its source.
    if (first !== cell.matrix) return marksOf(first, [{ row, col }]);
    const { also: more, dark = false } = this.#options.shown[cell.matrix]!;
    const also = more?.(cell) ?? [];
    if (dark && this.drawn[cell.matrix]!.hidden(row, col)) return [...also];
    const seen = new Map(this.#seen(from).map((each) => [JSON.stringify(each), each]));
    const cells = [...seen.values()].map((each) => ({
      id: this.#idsOf(each).at(-1)!,
      ...{ row: each.index.at(-2) ?? 0, col: each.index.at(-1)! },
    }));
    const marks = [...new Set(cells.map(({ id }) => id))].flatMap((id) =>
      marksOf(
        id,
        cells.filter((each) => each.id === id),
      ),
    );
    return [...marks, ...also];
  };

  /** Explains a cell; null for a cell that does not exist. */
  why = (cell: Cell<Id>): Why | null =>
    whyAt(this.drawn[cell.matrix], cell, () => {
      const shown = this.#options.shown[cell.matrix]!;
      const { note, say, brief = false, dark = false, through = false, seen = false } = shown;
      const from = this.#origin(this.#cellOf(cell), through);
      const isDark = dark && this.drawn[cell.matrix]!.hidden(cell.row, cell.col);
      const made = () => (isDark ? [] : (brief && this.#brief(from)) || this.#parts(from, seen));
      return {
        parts: say?.(cell) ?? made(),
        note: typeof note === 'string' ? note : note(cell),
      };
    });

  #cellOf({ matrix, row, col }: Cell<Id>): GraphCell {
    const { node = matrix, front = this.#options.front ?? [] } = this.#options.shown[matrix]!;
    const rank = this.#options.values[node].shape.length;
    return { node, index: [...front, row, col].slice(-rank) };
  }

  /** The matrices that show a value. The last is the source of the values computed from it. */
  #idsOf({ node, index }: GraphCell): readonly Id[] {
    const { front: all = [], most = Infinity } = this.#options;
    if (index.slice(-2).some((place) => place >= most)) return [];
    const before = index.slice(0, -2);
    const isThere = (front: readonly number[]) =>
      before.every((place, axis) => place === front[front.length - before.length + axis]);
    return this.#shown
      .filter(([id, shown]) => (shown.node ?? id) === node && isThere(shown.front ?? all))
      .map(([id]) => id);
  }

  #seen({ node, index }: GraphCell): readonly GraphCell[] {
    const { graph, values } = this.#options;
    return sources(graph, values, node, index).flatMap((each) => {
      if (this.#idsOf(each).length > 0) return [each];
      return this.#isAside(each) ? [] : this.#seen(each);
    });
  }

  /** Whether the cell belongs to a visible value at another index of the axes before rows and columns. */
  #isAside({ node, index }: GraphCell): boolean {
    const { most = Infinity } = this.#options;
    const isShown = this.#shown.some(([id, shown]) => (shown.node ?? id) === node);
    return isShown && index.slice(-2).every((place) => place < most);
  }

  #operationOf(node: string): string {
    return this.#options.graph.nodes.find(({ name }) => name === node)!.operation;
  }

  /** The origin of a number that was only moved: back over values without names, with `through` over all. */
  #origin(cell: GraphCell, through: boolean): GraphCell {
    const { graph, values } = this.#options;
    if (!moves.includes(this.#operationOf(cell.node))) return cell;
    const [[from] = []] = why(graph, values, cell.node, cell.index).terms;
    const isOver = !from || (!through && !from.node.startsWith('_'));
    return isOver ? cell : this.#origin(from, through);
  }

  #roleOf(cell: GraphCell): Role | undefined {
    const id = this.#idsOf(cell).at(-1);
    return id ? this.drawn[id]!.role : this.#options.roles?.[cell.node];
  }

  /** The short explanation; null if it is neither a softmax nor a sum of products. */
  #brief({ node, index }: GraphCell): Part[] | null {
    const { graph, values } = this.#options;
    const { terms } = why(graph, values, node, index);
    if (this.#operationOf(node) === 'softmax') {
      const [own, ...row] = terms.map(([{ value }]) => value);
      return shareParts(
        own,
        row.filter((value) => value !== -Infinity),
      );
    }
    if (terms.length === 0 || terms.some(({ length }) => length !== 2)) return null;
    const [a, b] = terms[0].map((cell) => {
      const origins = [false, true].map((through) => this.#origin(cell, through));
      return [cell, ...origins].map((each) => this.#roleOf(each)).find(Boolean) ?? '';
    });
    const products = terms.map(([first, second]) => ({ a: first.value, b: second.value }));
    return largestOf(products, a, b);
  }

  /** The parts of a sentence without the products that a mask hides. */
  #unhidden(reason: Reason): Reason['parts'] {
    const { graph, values } = this.#options;
    const keyOf = (cell: GraphCell) => `${cell.node} ${cell.index.join()}`;
    const seen = new Set(sources(graph, values, reason.node, reason.index).map(keyOf));
    return productsOf(reason, (cell) => seen.has(keyOf(cell)));
  }

  /**
   * The parts of a number's explanation; empty if the number is its own explanation. Values without names are written
   * in place.
   */
  #parts({ node, index }: GraphCell, seen: boolean, inPlace = false): Part[] {
    const { graph, values } = this.#options;
    const reason = why(graph, values, node, index);
    if (reason.parts.length === 1 && !inPlace) return [];
    const products = inPlace ? productsOf(reason, ({ value }) => value !== 0, 8) : reason.parts;
    let parts = bared(seen ? this.#unhidden(reason) : products).filter((part) => part !== '');
    const isSum = parts.every((part, i) => i % 2 === 0 || part === ' + ');
    if (inPlace && isSum) {
      const terms = parts.filter((part) => typeof part !== 'string' && part.value !== 0);
      // If all terms are zero, one stays.
      const left = terms.length > 0 ? terms : parts.slice(0, 1);
      parts = left.flatMap((part, i) => (i > 0 ? [' + ', part] : [part]));
    }
    return parts.flatMap((part, i): Part[] => {
      if (typeof part === 'string') return set(part.replace(/\^$/u, ''));
      const [before, after] = [parts[i - 1], parts[i + 1]];
      const isNamed = !part.node.startsWith('_') || this.#idsOf(part).length > 0;
      if (!isNamed) return this.#written(part, seen, [before, after]);
      const role = this.#roleOf(part);
      const isRaised = String(before).endsWith('^');
      if (isRaised) return [{ text: inText(part.value), ...(role && { role }), raised: true }];
      return [factor(part.value, role ?? '')];
    });
  }

  /** A value without a name, between its neighbours in a sentence. */
  #written(cell: ReasonCell, seen: boolean, neighbours: readonly unknown[]): Part[] {
    const operation = this.#operationOf(cell.node);
    if (operation === 'number') return [factor(cell.value, '')];
    const inner = this.#parts(cell, seen, true);
    if (operation === 'log') return inner;
    if (operation === 'sqrt') {
      const [first, root, last] = inner;
      const isShort = inner.length === 3 && first.text === '√( ' && last.text === ' )';
      return isShort ? [{ text: '√' }, root] : inner;
    }
    const isAlone = neighbours.every((each) => inSum.includes(each as string | undefined));
    if (inner.length <= 1 || (isAlone && isProduct(inner))) return inner;
    const isSum = inner.every(({ text }, i) => i % 2 === 0 || text === ' + ');
    const [open, close] = isSum ? ['(', ')'] : ['( ', ' )'];
    return [{ text: open }, ...inner, { text: close }];
  }
}

/** The last answered graph with its values: everything shown is read from this. */
export const foundOf = ({ now, asked }: Query<'graph'>): Found | null =>
  now && asked && { graph: asked.graph, values: now };

/** A graph's values as programs elsewhere, which compare their results with the values on the page. */
export function programsOf(about: string, { graph, values }: Found, show: readonly string[]) {
  const write = (comment: string, language: 'NumPy' | 'PyTorch' | 'C++') => () =>
    `${comment}\n${program(graph, values, language, { show }).replace('What was found.', 'What the page shows.')}`;
  return {
    numpy: write(pythonComment(about), 'NumPy'),
    pytorch: write(pythonComment(about), 'PyTorch'),
    cpp: write(cppComment(about), 'C++'),
  };
}

/** The cost of computing all of a graph's values; null if none is computed. */
export function costOf({ graph, values }: Found): CostData | null {
  const sizes: Record<string, number> = {};
  for (const { name, operation, options } of graph.nodes) {
    if (operation !== 'input') continue;
    (options.shape as readonly Size[]).forEach((size, axis) => {
      if (typeof size === 'string') sizes[size] = values[name].shape[axis];
    });
  }
  const { flops, bytes, nodes } = costOfGraph(graph, sizes);
  return Object.keys(nodes).length === 0 ? null : { flops, bytes, intensity: flops / bytes };
}
