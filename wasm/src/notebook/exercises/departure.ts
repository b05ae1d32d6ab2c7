// The first difference between a program and the right computation. Nobody says which of its values corresponds to which right one:
// equal values match, and after those a value is compared with the next right one of its shape.
import { product } from '../../graph/operations/common.js';
import type { NodeNumbers } from '../../graph/index.js';
import { differences, isClose, isPlain, sameShape } from './compare.js';
import { computedOf, type Computed, type Trial } from './trial.js';

/** The first element that differs, and the values that contain it. */
export interface Departure {
  /** Line of the value, counted from 1; missing for an element of the result. */
  readonly line?: number;
  /** Number of the result among several, counted from 1. */
  readonly result?: number;
  /** The index of the first element, in reading order, that differs. */
  readonly place: readonly number[];
  /** The element, and the right one. */
  readonly found: number;
  readonly wanted: number;
  /** The value that contains it, the right value, and a mask of the numbers that differ: 1 where they do. */
  readonly values: {
    readonly found: NodeNumbers;
    readonly wanted: NodeNumbers;
    readonly differs: Uint8Array;
  };
}

/** The lines of a wrong result: the last that is right, and the first that is not. */
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

/** A value and its slices along the first axes, or along one: the values of loops over batches or heads. */
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

/** A value without axes of size 1, which are often kept or left out. */
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

  /** The nodes whose value, or a part of it, this is. */
  nodesOf(value: NodeNumbers): string[] {
    const plain = bare(value);
    return (this.#all.get(String(plain.shape)) ?? []).flatMap((each) =>
      isClose(plain, each.value) ? [each.node] : [],
    );
  }
}

/** The consumers of each node. */
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

/** Nodes, with all before or after them. */
function reach(from: Iterable<string>, next: (node: string) => readonly string[]): Set<string> {
  const seen = new Set(from);
  for (const node of seen) for (const each of next(node)) seen.add(each);
  return seen;
}

/** The right nodes that a program has reached: those it computed, their inputs, and the given ones. */
function reached(trial: Trial, matched: Iterable<string>): Set<string> {
  const inputs = new Map(trial.graph.nodes.map((node) => [node.name, node.inputs]));
  const given = trial.graph.nodes.filter(({ inputs: own }) => own.length === 0);
  return reach([...matched, ...given.map(({ name }) => name)], (node) => inputs.get(node) ?? []);
}

/**
 * The right counterpart of one of a line's values: a result, the value with its name, else the only possible next value of its
 * shape.
 */
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
 * The first value among the inputs of a wrong result that is not right, and leads to no right one. For programs that compute in
 * another way, and whose values are therefore unknown, only the wrong result is known.
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
  // All inputs of a right value are right, too.
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
