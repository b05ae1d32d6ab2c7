// Attention as it should be, and as it comes out with the mistakes that are made most often. Each is computed
// by the core, so that the output of somebody's code can be told from its mistake.
import { TrilError, type AttentionOptions, type Mask, type Tensor, type Tril } from 'tril';
import { asMask, maskAxes, otherReading, type MaskReading } from '../../shared/lessons/file-mask';
import {
  dataOf,
  shaped,
  swapLast,
  swapMiddle,
  tensorOf,
  tiled,
  type TensorData,
} from '../../shared/lessons/layouts';

/** Which way of computing: the right one, or a mistake. `value` says more where there are several alike. */
export interface Variant {
  readonly id: string;
  readonly value?: number;
}

export interface Candidate extends Variant {
  /** In the shape of the right output; throws TrilError where the inputs do not allow it. */
  readonly run: () => TensorData;
}

interface AttentionInputs {
  readonly q: TensorData;
  readonly k: TensorData;
  readonly v: TensorData;
  readonly mask?: TensorData;
}

export interface AttentionChoices {
  readonly causal: boolean;
  /** How many heads lie side by side in the last axis; 0 where heads have an axis of their own. */
  readonly heads: number;
  /** What the numbers of the mask mean, where there is one. */
  readonly reading?: MaskReading;
}

/** B, H, T and D of any of the shapes that attention takes. */
export function fourAxes(shape: readonly number[], heads: number): number[] {
  const width = shape[shape.length - 1];
  const fits =
    heads === 0 ? shape.length <= 4 : [2, 3].includes(shape.length) && width % heads === 0;
  if (!fits) {
    const wanted = heads === 0 ? '[T, D], [H, T, D] or [B, H, T, D]' : '[T, H*D] or [B, T, H*D]';
    const some = heads === 0 ? '' : ` for ${heads} heads side by side`;
    const problem = `must be ${wanted}${some}, is [${shape.join(', ')}]`;
    throw new TrilError('attention', 'shape', problem);
  }
  if (heads === 0) return [...Array<number>(4 - shape.length).fill(1), ...shape];
  const [batches, tokens] = shape.length === 2 ? [1, ...shape] : shape;
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
  { causal, heads, reading = 'look' }: AttentionChoices,
): Candidate[] {
  const four = (one: TensorData) => tensorOf(tril, asFour(one, heads));
  const ready = () => [four(given.q), four(given.k), four(given.v)];
  const back = (tensor: Tensor) => asGiven(dataOf(tensor), given.q, heads);
  const q = asFour(given.q, heads).shape;
  const k = asFour(given.k, heads).shape;
  type Options = {
    causal?: boolean;
    scale?: number;
    /** Besides that of the file. */
    mask?: Mask;
    /** The mask of the file, or what is made of it; null leaves it away. */
    own?: TensorData | null;
    /** As what it is read. */
    read?: MaskReading;
  };
  const shape = [q[0], q[1], q[2], k[2]];
  const all = (
    { mask, own = given.mask, read = reading, ...options }: Options,
    scores: readonly number[] = shape,
  ) => {
    const masks = [own && asMask(tril, own, read, scores), mask].filter((one) => !!one);
    return { causal, ...options, ...(masks.length > 0 && { mask: tril.mask.and(...masks) }) };
  };
  const plain = (options: Options, order: readonly [number, number, number] = [0, 1, 2]) => {
    const inputs = ready();
    const [q, k, v] = order.map((i) => inputs[i]);
    return back(tril.attention(q, k, v, all(options)).output);
  };
  const traced = (options: Options) => {
    const [q, k, v] = ready();
    return { ...tril.attention(q, k, v, { ...all(options), trace: true }).trace, k, v };
  };
  const v = asFour(given.v, heads).shape;
  const [count, queries, depth] = [q[1], q[2], q[3]];
  const [keys, width] = [k[2], v[3]];

  const list: (Candidate | false | undefined)[] = [
    { id: 'right', run: () => plain({}) },
    { id: 'noScale', run: () => plain({ scale: 1 }) },
    { id: 'scaleByWidth', run: () => plain({ scale: 1 / depth }) },
    count > 1 && { id: 'scaleByModel', run: () => plain({ scale: (count * depth) ** -0.5 }) },
    { id: 'timesRoot', run: () => plain({ scale: depth ** 0.5 }) },
    queries === keys && q[1] === k[1] && { id: 'swappedQK', run: () => plain({}, [1, 0, 2]) },
    { id: 'swappedKV', run: () => plain({}, [0, 2, 1]) },
    depth > 1 &&
      keys > 1 && {
        id: 'keysReshaped',
        run() {
          const reshaped = shaped(asFour(given.k, heads), [k[0], k[1], depth, keys]);
          const [query, , value] = ready();
          const turned = tensorOf(tril, swapLast(reshaped));
          return back(tril.attention(query, turned, value, all({})).output);
        },
      },
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
    count > 1 && {
      id: 'softmaxOverHeads',
      run() {
        const { masked, v } = traced({});
        return back(tril.matmul(tril.softmax(masked, { axis: -3 }), v));
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
    given.mask &&
      queries === keys && {
        id: 'fileMaskTurned',
        run: () =>
          plain({
            own: given.mask && swapLast(shaped(given.mask, maskAxes(given.mask.shape, shape))),
          }),
      },
    given.mask && { id: 'maskIgnored', run: () => plain({ own: null }) },
    given.mask && { id: 'maskInverted', run: () => plain({ read: otherReading[reading] }) },
    given.mask && reading !== 'add' && { id: 'maskAdded', run: () => plain({ read: 'add' }) },
    q[1] > k[1] && {
      id: 'groupsTiled',
      run() {
        const [query, key, value] = [given.q, given.k, given.v].map((one) => asFour(one, heads));
        const repeated = [key, value].map((one) => tensorOf(tril, tiled(one, q[1] / k[1])));
        const [keys, values] = repeated;
        return back(tril.attention(tensorOf(tril, query), keys, values, all({})).output);
      },
    },
    heads === 0 &&
      given.q.shape.length === 4 && {
        id: 'tokensFirst',
        run() {
          const [a, b, c] = [given.q, given.k, given.v].map((one) =>
            tensorOf(tril, swapMiddle(one)),
          );
          return swapMiddle(
            dataOf(tril.attention(a, b, c, all({}, [q[0], q[2], q[1], k[1]])).output),
          );
        },
      },
    ...headCandidates(tril, given, heads, (scores) => all({}, scores)),
  ];
  return list.filter((one) => one !== false && one !== undefined);
}

/** What attention is told of its mask: that of a file, if there is one, and causality. */
export function attentionOptions(
  tril: Tril,
  mask: TensorData | undefined,
  { causal, reading = 'look' }: AttentionChoices,
  /** [B, H, T, S] */
  scores: readonly number[],
): AttentionOptions {
  return { causal, ...(mask && { mask: asMask(tril, mask, reading, scores) }) };
}

/** With another scale, whichever it is. */
export function scaled(
  tril: Tril,
  given: AttentionInputs,
  choices: AttentionChoices,
  scale: number,
): TensorData {
  const { heads } = choices;
  const [q, k, v] = [given.q, given.k, given.v].map((one) => asFour(one, heads));
  const shape = [q.shape[0], q.shape[1], q.shape[2], k.shape[2]];
  const [a, b, c] = [q, k, v].map((one) => tensorOf(tril, one));
  const options = attentionOptions(tril, given.mask, choices, shape);
  const { output } = tril.attention(a, b, c, { ...options, scale });
  return asGiven(dataOf(output), given.q, heads);
}

/** What can go wrong where heads lie side by side, in the inputs or in the output. */
function headCandidates(
  tril: Tril,
  given: AttentionInputs,
  heads: number,
  /** As it should be, for scores of that shape. */
  options: (scores: readonly number[]) => AttentionOptions,
): Candidate[] {
  const { q } = given;
  const all = [given.q, given.k, given.v];
  /** Of [B, H, T, D] that `change` makes of the inputs. */
  const attend = (change: (one: TensorData) => TensorData) => {
    const [a, b, c] = all.map((one) => tensorOf(tril, change(one)));
    const scores = [...a.shape.slice(0, 3), b.shape[2]];
    return dataOf(tril.attention(a, b, c, options(scores)).output);
  };
  const others = q.shape.length === 2 || q.shape.length === 3 ? otherHeads(q, heads) : [];
  const side = others.map((other) => ({
    id: heads === 0 ? 'sideBySide' : 'otherHeads',
    value: other,
    run: () =>
      asGiven(
        attend((one) => asFour(one, other)),
        q,
        other,
      ),
  }));
  const [batches, count, tokens] = fourAxes(q.shape, heads);
  if (count === 1) return side;
  if (heads > 0) {
    // As if [B, T, H D] were [B, H, T, D] already.
    const misread = (one: TensorData) => shaped(one, fourAxes(one.shape, heads));
    const apart = (one: TensorData) => asFour(one, heads);
    return [
      { id: 'headsNotTransposed', run: () => shaped(attend(misread), q.shape) },
      { id: 'headsNotJoined', run: () => shaped(attend(apart), q.shape) },
      ...side,
    ];
  }
  const joined = {
    id: 'headsNotJoined',
    run() {
      const output = attend((one) => asFour(one, 0));
      const misread = shaped(output, [batches, tokens, count, output.shape[3]]);
      return asGiven(swapMiddle(misread), q, 0);
    },
  };
  return [joined, ...side];
}

/** How many heads there might be in place of `heads`. */
export function otherHeads({ shape }: TensorData, heads: number): number[] {
  const width = shape[shape.length - 1];
  const usual = [1, 2, 4, 8, 12, 16].filter((other) => other > 1 || heads > 0);
  return usual.filter((other) => other !== heads && width % other === 0);
}
