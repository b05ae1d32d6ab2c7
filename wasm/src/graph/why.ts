import { checkKeys, integerOption } from '../names.js';
import { Cells, keyOf, type Cell } from './cells.js';
import { isFused, isHidden, isInput } from './plan.js';
import type { Graph, GraphNumbers, Step } from './plan.js';

/** A cell with its number and, unless the tree ends here, the reason for it. */
export interface ReasonCell extends Cell {
  readonly value: number;
  /** The text in sentences, if it is not the number: `sqrt(2)`, for a root or a logarithm without a name. */
  readonly text?: string;
  readonly reason?: Reason;
}

/** The reason for the number of a cell. */
export interface Reason extends Cell {
  readonly value: number;
  /** `weights[2, 1] = e^0.31 / (e^0.31 + e^1.2) = 0.2911` */
  readonly text: string;
  /** The middle of `text` in pieces: the cells of its numbers, and the text between them; empty for an input. */
  readonly parts: readonly (string | ReasonCell)[];
  /** The cells from which it is computed, grouped as they are combined, such as the factors of each product. */
  readonly terms: readonly (readonly ReasonCell[])[];
}

/** The options of `why`. */
export interface WhyOptions {
  /** Depth of the reasons: 1 is this cell alone (default 1). */
  readonly depth?: number;
  /** Significant digits of the numbers in texts (default 4). */
  readonly digits?: number;
  /** Maximum number of terms in a text (default 8). Of more terms, a text has the first ones and the last. */
  readonly most?: number;
}

/** The name of a node in a text: the operation for a node without a name, the number itself for a number. */
function labelOf(step: Step): string {
  if (step.node.operation === 'number') return String((step.options as { value: unknown }).value);
  return isHidden(step) ? step.node.operation : step.node.name;
}

/**
 * Splits the sentence of an operation at its numbers; the sentence has the position of each in `numbers` between two
 * marks.
 */
function partsOf(said: string, numbers: readonly string[], cells: readonly ReasonCell[]) {
  const pieces = said.split(/\ue000(\d+)\ue001/);
  return pieces
    .flatMap((piece, i): readonly (string | ReasonCell)[] => {
      if (i % 2 === 1) return [cells[Number(piece)]!];
      const length = i + 1 < pieces.length ? numbers[Number(pieces[i + 1])]!.length : 0;
      return [piece.slice(0, piece.length - length)];
    })
    .filter((part) => part !== '');
}

/** The first terms and the last, if there are more than `most`. */
function shortened(terms: readonly (readonly string[])[], most: number) {
  if (terms.length <= most) return terms;
  return [...terms.slice(0, most - 1), ['...'], terms.at(-1)!];
}

/**
 * Explains the number of a cell of `node`: the numbers from which it is computed, combined as in its operation.
 * `values` is the result of `run`, or its numbers; all numbers come from there. With a `depth`, the result is a tree of
 * reasons.
 *
 * @throws TrilError for an unknown node or cell, and for missing values
 *
 * @example
 * ```ts
 * import { graph, run, why } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * const values = run(tril, gram, { X: tril.tensor([[1, 2], [3, -4]]) });
 * why(gram, values, 'G', [0, 1]).text; // 'G[0, 1] = 1 * 3 + 2 * (-4) = -5'
 * why(gram, values, 'H', [0, 1]); // throws TrilError: why: node: unknown node "H"
 * ```
 */
export function why(
  graph: Graph,
  values: GraphNumbers,
  node: string,
  index: readonly number[],
  options: WhyOptions = {},
): Reason {
  const call = 'why';
  checkKeys(call, 'options', 'option', options, ['depth', 'digits', 'most']);
  const depth = integerOption(call, 'depth', options.depth, 1, 1);
  const digits = integerOption(call, 'digits', options.digits, 4, 1);
  const most = integerOption(call, 'most', options.most, 8, 3);
  const cells = new Cells(call, graph, values);
  const { plan } = cells;
  const write = (value: number) =>
    Number.isFinite(value)
      ? String(Number(value.toPrecision(Math.min(digits, 17))))
      : String(value).replace('Infinity', 'inf');
  /** The text of a value without a name, if it says more than the number. */
  const textOf = (from: Step, index: readonly number[]): string | undefined => {
    if (!isHidden(from) || !['sqrt', 'log'].includes(from.node.operation)) return undefined;
    const [[cell] = []] = cells.terms(from, index);
    return cell && `${from.node.operation}(${write(cells.read(cell))})`;
  };
  const known = new Map<string, Reason>();
  const reasonOf = (step: Step, at: readonly number[], below: number): Reason => {
    const key = `${below} ${keyOf({ node: step.node.name, index: at })}`;
    const old = known.get(key);
    if (old) return old;
    const terms = cells.terms(step, at).map((term) =>
      term.map((cell): ReasonCell => {
        const from = plan.get(cell.node)!;
        const text = textOf(from, cell.index);
        const plain = { ...cell, value: cells.read(cell), ...(text !== undefined && { text }) };
        if (below <= 1 || isInput(from)) return plain;
        return { ...plain, reason: reasonOf(from, cell.index, below - 1) };
      }),
    );
    const value = cells.read({ node: step.node.name, index: at });
    const sized = cells.sized(step);
    const label = labelOf(step) + (sized.output.join() === '1' ? '' : `[${at.join(', ')}]`);
    const all = terms.flat();
    const numbers = all.map((cell) => cell.text ?? write(cell.value));
    let next = 0;
    const marked = terms.map((term) => term.map(() => `${numbers[next]}\ue000${next++}\ue001`));
    const isMade = !isInput(step) && !isFused(step.operation);
    const said = isMade ? step.operation.why(shortened(marked, most), sized, at) : '';
    const parts = partsOf(said, numbers, all);
    const joined = parts.map((part) =>
      typeof part === 'string' ? part : (part.text ?? write(part.value)),
    );
    const text = [label, joined.join(''), write(value)].filter(
      (part, i, before) => part && part !== before[i - 1],
    );
    const reason = {
      ...{ node: step.node.name, index: at, value },
      ...{ text: text.join(' = '), parts, terms },
    };
    known.set(key, reason);
    return reason;
  };
  return reasonOf(cells.find(node, index), [...index], depth);
}

/**
 * Writes a reason and all reasons below it as text, one per line. Deeper reasons are indented, and each is written
 * once.
 *
 * @example
 * ```ts
 * import { graph, run, why, whyText } from 'tril/graph';
 *
 * const two = graph({ x: [2] }, ({ x }, { exp, multiply }) => ({ y: multiply(exp(x), 3) }));
 * const values = run(tril, two, { x: tril.tensor([0, 1]) });
 * whyText(why(two, values, 'y', [1], { depth: 2 })).split('\n'); // ['y[1] = 2.718 * 3 = 8.155', '  exp[1] = e^1 = 2.718', '  3']
 * ```
 */
export function whyText(reason: Reason): string {
  const said = new Set<string>();
  const linesOf = (each: Reason, indent: string): string[] => {
    if (said.has(keyOf(each))) return [];
    said.add(keyOf(each));
    const below = each.terms.flat().flatMap((cell) => (cell.reason ? [cell.reason] : []));
    return [indent + each.text, ...below.flatMap((part) => linesOf(part, `${indent}  `))];
  };
  return linesOf(reason, '').join('\n');
}
