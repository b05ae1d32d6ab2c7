// Attention as it should be, and as it comes out with the mistakes that are made most often. Each is computed
// by the core, so that the output of somebody's code can be told from its mistake.
import type { Mask, Tensor, Tril } from 'tril';
import { dataOf, shaped, swapMiddle, tensorOf, type TensorData } from './layouts';

/** Which way of computing: the right one, or a mistake. `value` says more where there are several alike. */
export interface Variant {
  readonly id: string;
  readonly value?: number;
}

export interface Candidate extends Variant {
  /** In the shape of the right output; throws TrilError where the inputs do not allow it. */
  readonly run: () => TensorData;
}

export interface AttentionInputs {
  readonly q: TensorData;
  readonly k: TensorData;
  readonly v: TensorData;
}

export interface AttentionChoices {
  readonly causal: boolean;
  /** How many heads lie side by side in the last axis; 0 where heads have an axis of their own. */
  readonly heads: number;
}

/** B, H, T and D of any of the shapes that attention takes. */
export function fourAxes(shape: readonly number[], heads: number): number[] {
  if (heads === 0) return [...Array<number>(4 - shape.length).fill(1), ...shape];
  const [batches, tokens, width] = shape.length === 2 ? [1, ...shape] : shape;
  return [batches, heads, tokens, width / heads];
}

/** [B, H, T, D] */
function asFour(given: TensorData, heads: number): TensorData {
  const axes = fourAxes(given.shape, heads);
  const [batches, count, tokens, width] = axes;
  return heads > 0
    ? swapMiddle(shaped(given, [batches, tokens, count, width]))
    : shaped(given, axes);
}

/** Back to how the inputs came. */
function asGiven(four: TensorData, like: TensorData, heads: number): TensorData {
  const [, , tokens, width] = four.shape;
  const rest = like.shape.slice(0, -2);
  return heads > 0
    ? shaped(swapMiddle(four), [...rest, tokens, heads * width])
    : shaped(four, [...rest, tokens, width]);
}

/** 1 where a query may look. */
function looks(
  tril: Tril,
  queries: number,
  keys: number,
  seen: (query: number, key: number) => boolean,
): Mask {
  const visible = Array.from({ length: queries }, (_, t) =>
    Array.from({ length: keys }, (_, s) => (seen(t, s) ? 1 : 0)),
  );
  return tril.mask.dense(tril.tensor(visible), { kind: 'boolean' });
}

export function attentionCandidates(
  tril: Tril,
  given: AttentionInputs,
  { causal, heads }: AttentionChoices,
): Candidate[] {
  const four = (one: TensorData) => tensorOf(tril, asFour(one, heads));
  const ready = () => [four(given.q), four(given.k), four(given.v)];
  const back = (tensor: Tensor) => asGiven(dataOf(tensor), given.q, heads);
  type Options = { causal?: boolean; scale?: number; mask?: Mask };
  const plain = (options: Options, order: readonly [number, number, number] = [0, 1, 2]) => {
    const all = ready();
    const [q, k, v] = order.map((i) => all[i]);
    return back(tril.attention(q, k, v, { causal, ...options }).output);
  };
  const traced = (options: Options) => {
    const [q, k, v] = ready();
    return { ...tril.attention(q, k, v, { causal, ...options, trace: true }).trace, k, v };
  };
  const q = asFour(given.q, heads).shape;
  const k = asFour(given.k, heads).shape;
  const v = asFour(given.v, heads).shape;
  const [count, queries, depth] = [q[1], q[2], q[3]];
  const [keys, width] = [k[2], v[3]];

  const list: (Candidate | false)[] = [
    { id: 'right', run: () => plain({}) },
    { id: 'noScale', run: () => plain({ scale: 1 }) },
    { id: 'scaleByWidth', run: () => plain({ scale: 1 / depth }) },
    count > 1 && { id: 'scaleByModel', run: () => plain({ scale: (count * depth) ** -0.5 }) },
    { id: 'timesRoot', run: () => plain({ scale: depth ** 0.5 }) },
    queries === keys && q[1] === k[1] && { id: 'swappedQK', run: () => plain({}, [1, 0, 2]) },
    depth === width && {
      id: 'keysForValues',
      run() {
        const { weights, k } = traced({});
        return back(tril.matmul(weights, k));
      },
    },
    {
      id: 'softmaxOverQueries',
      run() {
        const { masked, v } = traced({});
        return back(tril.matmul(tril.softmax(masked, { axis: -2 }), v));
      },
    },
    {
      id: 'noSoftmax',
      run() {
        const { scores, v } = traced({ causal: false });
        return back(tril.matmul(causal ? tril.triangular(scores) : scores, v));
      },
    },
    !causal && { id: 'causalThough', run: () => plain({ causal: true }) },
    causal && { id: 'noMask', run: () => plain({ causal: false }) },
    causal && {
      id: 'maskAfterSoftmax',
      run() {
        const { weights, v } = traced({ causal: false });
        return back(tril.matmul(tril.triangular(weights), v));
      },
    },
    causal && {
      id: 'zerosForMask',
      run() {
        const { scores, v } = traced({ causal: false });
        return back(tril.matmul(tril.softmax(tril.triangular(scores)), v));
      },
    },
    causal && {
      id: 'maskTurned',
      run: () => plain({ causal: false, mask: looks(tril, queries, keys, (t, s) => s >= t) }),
    },
    causal && {
      id: 'hidesItself',
      run: () => plain({ causal: false, mask: looks(tril, queries, keys, (t, s) => s < t) }),
    },
    causal && {
      id: 'seesNext',
      run: () => plain({ causal: false, mask: looks(tril, queries, keys, (t, s) => s <= t + 1) }),
    },
    causal &&
      queries !== keys && {
        id: 'fromOtherEnd',
        run: () =>
          plain({
            causal: false,
            mask: looks(tril, queries, keys, (t, s) => s <= t + keys - queries),
          }),
      },
    ...headCandidates(tril, given, { causal, heads }),
  ];
  return list.filter((one) => one !== false);
}

/** What can go wrong where heads lie side by side. */
function headCandidates(
  tril: Tril,
  given: AttentionInputs,
  { causal, heads }: AttentionChoices,
): Candidate[] {
  if (heads < 2) return [];
  const { q } = given;
  const all = [given.q, given.k, given.v];
  /** As if [B, T, H D] were [B, H, T, D] already. */
  const misread = (one: TensorData) => shaped(one, fourAxes(one.shape, heads));
  const width = q.shape[q.shape.length - 1];
  const others = [1, 2, 4, 8, 16].filter((other) => other !== heads && width % other === 0);
  return [
    {
      id: 'headsNotTransposed',
      run() {
        const [a, b, c] = all.map((one) => tensorOf(tril, misread(one)));
        return shaped(dataOf(tril.attention(a, b, c, { causal }).output), q.shape);
      },
    },
    {
      id: 'headsNotJoined',
      run() {
        const [a, b, c] = all.map((one) => tensorOf(tril, asFour(one, heads)));
        return shaped(dataOf(tril.attention(a, b, c, { causal }).output), q.shape);
      },
    },
    ...others.map((other) => ({
      id: 'otherHeads',
      value: other,
      run() {
        const [a, b, c] = all.map((one) => tensorOf(tril, one));
        return dataOf(tril.attention(a, b, c, { causal, heads: other }).output);
      },
    })),
  ];
}
