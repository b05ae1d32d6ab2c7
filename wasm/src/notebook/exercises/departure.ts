// Where a program leaves the right computation, and what is right there. Which of its values is which of the right ones nobody
// says: two that are equal are the same, and behind those one of a program's values is compared with the next right one of its shape.
import { product } from '../../graph/operations/common.js';
import type { NodeNumbers } from '../../graph/index.js';
import { differences, isClose, isPlain, sameShape } from './compare.js';
import { computedOf, type Computed, type Trial } from './trial.js';

/** The first element that departs, and the values that it is an element of. */
export interface Departure {
  /** Of which line it is, counted from 1; without one it is an element of the result. */
  readonly line?: number;
  /** Which of several results it is an element of, counted from 1. */
  readonly result?: number;
  /** The first element, in reading order, that differs. */
  readonly place: readonly number[];
  /** What it is, and what it must be. */
  readonly found: number;
  readonly wanted: number;
  /** The value that it is an element of, the right one, and 1 for each of their numbers that differs. */
  readonly values: {
    readonly found: NodeNumbers;
    readonly wanted: NodeNumbers;
    readonly differs: Uint8Array;
  };
}

/** Of a wrong result: the last line that is right, and the first that is not. */
export interface Departing {
  readonly until?: number;
  readonly line?: number;
  readonly departure?: Departure;
}

function placeIn(shape: readonly number[], at: number): number[] {
  const place: number[] = [];
  for (const size of [...shape].reverse()) {
    place.unshift(at % size);
    at = Math.floor(at / size);
  }
  return place;
}

function departureOf(found: NodeNumbers, wanted: NodeNumbers): Omit<Departure, 'line' | 'result'> {
  const differs = differences(found, wanted);
  const at = differs.indexOf(1);
  return {
    place: placeIn(wanted.shape, at),
    found: found.data[at]!,
    wanted: wanted.data[at]!,
    values: { found, wanted, differs },
  };
}

/** A value, and what it consists of along its first axes, or along one: what loops over batches or heads make. */
function* partsOf({ shape, data }: NodeNumbers): Generator<NodeNumbers> {
  yield { shape, data };
  for (let axes = 1; axes < shape.length; ++axes) {
    const inner = shape.slice(axes);
    const size = product(inner);
    for (let at = 0; at < data.length; at += size)
      yield { shape: inner, data: data.subarray(at, at + size) };
  }
  for (let axis = 1; axis < shape.length - 1; ++axis) {
    const [outer, inner] = [product(shape.slice(0, axis)), product(shape.slice(axis + 1))];
    const size = shape[axis]!;
    for (let i = 0; i < size; ++i) {
      const part = new Float32Array(outer * inner);
      for (let o = 0; o < outer; ++o) {
        const from = (o * size + i) * inner;
        part.set(data.subarray(from, from + inner), o * inner);
      }
      yield { shape: [...shape.slice(0, axis), ...shape.slice(axis + 1)], data: part };
    }
  }
}

/** Without the axes of one entry, which are often kept or left out. */
const bare = ({ shape, data }: NodeNumbers): NodeNumbers => ({
  shape: shape.filter((size) => size !== 1),
  data,
});

/** Right values by their shapes, each with its node. */
class Known {
  readonly #all = new Map<string, { node: string; value: NodeNumbers }[]>();

  constructor({ right }: Trial) {
    for (const [node, whole] of Object.entries(right)) {
      for (const part of partsOf(whole)) {
        const value = bare(part);
        const key = String(value.shape);
        if (!this.#all.has(key)) this.#all.set(key, []);
        this.#all.get(key)!.push({ node, value });
      }
    }
  }

  /** The nodes that have this value, or a part of it. */
  nodesOf(value: NodeNumbers): string[] {
    const plain = bare(value);
    return (this.#all.get(String(plain.shape)) ?? []).flatMap((each) =>
      isClose(plain, each.value) ? [each.node] : [],
    );
  }
}

/** The nodes that each node leads to. */
function readersOf({ made }: Trial): Map<string, string[]> {
  const readers = new Map<string, string[]>();
  for (const { name, inputs } of made.graph.nodes) {
    for (const each of inputs) {
      if (!readers.has(each)) readers.set(each, []);
      readers.get(each)!.push(name);
    }
  }
  return readers;
}

/** Nodes, and all behind them or before them. */
function reach(from: Iterable<string>, next: (node: string) => readonly string[]): Set<string> {
  const seen = new Set(from);
  for (const node of seen) for (const each of next(node)) seen.add(each);
  return seen;
}

/** The right nodes that a program has come to: those that it has, those before them, and what was given. */
function reached(trial: Trial, matched: Iterable<string>): Set<string> {
  const inputs = new Map(trial.graph.nodes.map((node) => [node.name, node.inputs]));
  const given = trial.graph.nodes.filter(({ inputs: own }) => own.length === 0);
  return reach([...matched, ...given.map(({ name }) => name)], (node) => inputs.get(node) ?? []);
}

/** What is right in the place of one of a line's values: a result, the value of its name, else the only next one of its kind. */
function counterpart(
  trial: Trial,
  own: readonly Computed[],
  matched: ReadonlySet<string>,
): readonly [NodeNumbers, NodeNumbers] | undefined {
  const there = reached(trial, matched);
  const last = [...own].reverse();
  const differs = (value: NodeNumbers, right: NodeNumbers | undefined) =>
    right && sameShape(value.shape, right.shape) && !isClose(value, right);
  for (const { node, value } of last) {
    const result = trial.nodes.indexOf(node);
    const right = result < 0 ? trial.right[node.replace(/_\d+$/, '')] : trial.wanted[result];
    if (differs(value, right)) return [value, right!];
  }
  const next = trial.graph.nodes.filter(
    ({ name, inputs }) => !there.has(name) && inputs.every((each) => there.has(each)),
  );
  const operationOf = new Map(trial.made.graph.nodes.map((node) => [node.name, node.operation]));
  for (const { node, value } of last) {
    const candidates = next.flatMap(({ name, operation }) => {
      const right = trial.right[name]!;
      return operation === operationOf.get(node) && differs(value, right) ? [right] : [];
    });
    if (candidates.length === 1) return [value, candidates[0]!];
  }
  return undefined;
}

function ofResult({ found, wanted }: Trial): Departure | undefined {
  const at = wanted.findIndex((each, i) => !isClose(found[i]!, each));
  if (at < 0 || !sameShape(found[at]!.shape, wanted[at]!.shape)) return undefined;
  return {
    ...(wanted.length > 1 && { result: at + 1 }),
    ...departureOf(found[at]!, wanted[at]!),
  };
}

/**
 * The first of the values that a wrong result is made of that is no right one, and leads to none. Of programs that go another way,
 * and whose values are unknown for that reason, it is known only that their result is wrong.
 */
export function departing(trial: Trial): Departing {
  const all = computedOf(trial);
  const known = new Known(trial);
  const inputs = new Map(trial.made.graph.nodes.map((node) => [node.name, node.inputs]));
  const before = (nodes: Iterable<string>) => reach(nodes, (node) => inputs.get(node) ?? []);
  const given = new Set(
    trial.made.graph.nodes.slice(0, Object.keys(trial.inputs).length).map(({ name }) => name),
  );
  const matches = new Map(
    all.flatMap(({ node, value }) => {
      const nodes = isPlain(value) ? [] : known.nodesOf(value);
      return nodes.length > 0 ? [[node, nodes] as const] : [];
    }),
  );
  // Whatever a right value was made of is right, too.
  const right = before(matches.keys());
  const wrong = trial.wanted.findIndex((each, i) => !isClose(trial.found[i]!, each));
  const used = before([trial.nodes[wrong]!]);
  const readers = readersOf(trial);
  const ofInputs = reach(given, (node) => readers.get(node) ?? []);
  const departs = (node: string) => used.has(node) && ofInputs.has(node) && !right.has(node);
  const first = all.find(({ node }) => departs(node));
  const result = ofResult(trial);
  if (!first) return result ? { departure: result } : {};
  const at = all.indexOf(first);
  const until = all
    .slice(0, at)
    .filter(({ node }) => matches.has(node) && used.has(node))
    .at(-1)?.line;
  const behind = reach([first.node], (node) => readers.get(node) ?? []);
  const own = all.filter(
    ({ line, node }) => line === first.line && departs(node) && behind.has(node),
  );
  const matched = new Set([...matches.values()].flat());
  const pair = counterpart(trial, own, matched);
  const departure = pair ? { line: first.line, ...departureOf(...pair) } : result;
  return {
    ...(until !== undefined && { until }),
    line: first.line,
    ...(departure && { departure }),
  };
}
