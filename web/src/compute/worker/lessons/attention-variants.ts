// Correct attention, and the results of the most frequent mistakes: edits of the correct steps, or the core's results
// of other choices, so that an output reveals the mistake of somebody's code.
import { TrilError, type AttentionOptions, type Tril } from 'tril';
import type { GraphEdit } from 'tril/graph';
import { asMask, otherReading, type MaskReading } from '../../shared/lessons/file-mask';
import {
  dataOf,
  shaped,
  swapMiddle,
  tensorOf,
  type TensorData,
} from '../../shared/lessons/layouts';
import { adds, changed, filled, mistakes } from './mistaken';

/** A computation: the correct one, or a mistake. `value` tells similar ones apart. */
export interface Variant {
  readonly id: string;
  readonly value?: number;
}

export interface Candidate extends Variant {
  /** The result in the shape of the correct output; throws TrilError if the inputs do not allow it. */
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
  /** Number of heads side by side in the last axis; 0 if heads have an axis of their own. */
  readonly heads: number;
  /** Meaning of the numbers of the mask, if there is one. */
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

/** Converts to [B, H, T, D]. */
function asFour(given: TensorData, heads: number): TensorData {
  const axes = fourAxes(given.shape, heads);
  const [batches, count, tokens, width] = axes;
  return heads > 0
    ? swapMiddle(shaped(given, [batches, tokens, count, width]))
    : shaped(given, axes);
}

/** Converts back to the layout of the inputs. */
function asGiven(four: TensorData, like: TensorData, heads: number): TensorData {
  const [, , tokens, width] = four.shape;
  const rest = like.shape.slice(0, -2);
  return heads > 0
    ? shaped(swapMiddle(four), [...rest, tokens, heads * width])
    : shaped(four, [...rest, tokens, width]);
}

/** Options of attention: the mask of a file, if there is one, and causality. */
export function attentionOptions(
  tril: Tril,
  mask: TensorData | undefined,
  { causal, reading = 'look' }: Pick<AttentionChoices, 'causal' | 'reading'>,
  /** [B, H, T, S] */
  scores: readonly number[],
): AttentionOptions {
  return { causal, ...(mask && { mask: asMask(tril, mask, reading, scores) }) };
}

/** The core's result of a single call, with another scale or layout if given. */
export function attended(
  tril: Tril,
  given: AttentionInputs,
  { scale, ...choices }: AttentionChoices & { readonly scale?: number },
  apart = (one: TensorData) => asFour(one, choices.heads),
  together = (four: TensorData) => asGiven(four, given.q, choices.heads),
): TensorData {
  const [q, k, v] = [given.q, given.k, given.v].map((one) => tensorOf(tril, apart(one)));
  const scores = [...q.shape.slice(0, 3), k.shape[2]];
  const options = attentionOptions(tril, given.mask, choices, scores);
  const { output } = tril.attention(q, k, v, { ...options, ...(scale && { scale }) });
  return together(dataOf(output));
}

export function attentionCandidates(
  tril: Tril,
  given: AttentionInputs,
  choices: AttentionChoices,
): Candidate[] {
  const { causal, heads, reading = 'look' } = choices;
  const { mask } = given;
  const [q, k, v] = [given.q, given.k, given.v].map((one) => asFour(one, heads));
  const [batches, count, queries, depth] = q.shape;
  const [, shared, keys] = k.shape;
  const width = v.shape[3];
  const steps = { Q: q, K: k, V: v };
  const of = { name: '', inputs: steps };
  /** The correct steps with edits, with or without the mask of the file. */
  const by = (id: string, edits: readonly GraphEdit[], own = true): Candidate => ({
    id,
    run() {
      const inputs = { ...steps, ...(own && mask && { mask }) };
      return asGiven(changed(tril, inputs, choices, edits, 'output'), given.q, heads);
    },
  });
  const usual = (id: keyof typeof mistakes): Candidate => by(id, mistakes[id](of));
  /** The core's result with other choices or other inputs. */
  const other = (id: string, choice: Partial<AttentionChoices>, inputs = given): Candidate => ({
    id,
    run: () => attended(tril, inputs, { ...choices, ...choice }),
  });
  type Layout = (one: TensorData) => TensorData;
  const laid = (id: string, apart?: Layout, together?: Layout): Candidate => ({
    id,
    run: () => attended(tril, given, choices, apart, together),
  });
  const tiled = (one: TensorData) =>
    dataOf(filled(tril, tensorOf(tril, asFour(one, heads)), count, true));
  const misread = (one: TensorData) => shaped(one, fourAxes(one.shape, heads));
  const misjoined = (four: TensorData) =>
    heads > 0
      ? shaped(four, given.q.shape)
      : asGiven(swapMiddle(shaped(four, [batches, queries, count, width])), given.q, 0);
  const reshaped = { shape: [batches, count, depth, keys] };
  const zeros = mistakes.zerosForMask(of);
  const most = Math.max(queries, keys);
  const list: (Candidate | false | undefined)[] = [
    other('right', {}),
    usual('noScale'),
    usual('scaleByWidth'),
    count > 1 && by('scaleByModel', [{ replace: 'width', options: { value: count * depth } }]),
    usual('timesRoot'),
    queries === keys && count === shared && usual('swappedQK'),
    other('swappedKV', {}, { ...given, k: given.v, v: given.k }),
    depth > 1 &&
      keys > 1 &&
      by('keysReshaped', [{ replace: 'keys', operation: 'reshape', options: reshaped }]),
    depth === width && usual('keysForValues'),
    usual('softmaxOverQueries'),
    count > 1 && by('softmaxOverHeads', [{ replace: 'weights', options: { axis: -3 } }]),
    by('noSoftmax', [...(causal ? zeros : []), ...mistakes.noSoftmax(of)], false),
    !causal && other('causalThough', { causal: true }),
    causal && other('noMask', { causal: false }),
    causal && usual('maskAfterSoftmax'),
    causal && by('zerosForMask', zeros, false),
    causal && usual('maskTurned'),
    causal && usual('hidesItself'),
    causal && by('seesNext', [{ replace: 'masked', options: { window: { right: 1 } } }]),
    causal &&
      queries !== keys &&
      by('fromOtherEnd', [
        adds('seen', 'tri', [], { rows: most }),
        adds('end', 'slice', ['seen'], {
          axis: Number(queries > keys),
          start: Math.abs(queries - keys),
        }),
        { replace: 'masked', inputs: ['scores', 'end'] },
      ]),
    mask &&
      queries === keys &&
      by('fileMaskTurned', [
        adds('turned', 'transpose', ['mask'], { axes: [0, 1, 3, 2] }),
        { rewire: 'added', input: 'y', to: 'turned' },
      ]),
    mask && other('maskIgnored', {}, { ...given, mask: undefined }),
    mask && other('maskInverted', { reading: otherReading[reading] }),
    mask && reading !== 'add' && other('maskAdded', { reading: 'add' }),
    count > shared && laid('groupsTiled', tiled),
    heads === 0 && given.q.shape.length === 4 && laid('tokensFirst', swapMiddle, swapMiddle),
    count > 1 && heads > 0 && laid('headsNotTransposed', misread, misjoined),
    count > 1 && laid('headsNotJoined', undefined, misjoined),
    ...([2, 3].includes(given.q.shape.length) ? otherHeads(given.q, heads) : []).map((value) => ({
      ...other(heads === 0 ? 'sideBySide' : 'otherHeads', { heads: value }),
      value,
    })),
  ];
  return list.filter((one) => one !== false && one !== undefined);
}

/** Plausible numbers of heads instead of `heads`. */
export function otherHeads({ shape }: TensorData, heads: number): number[] {
  const width = shape[shape.length - 1];
  const usual = [1, 2, 4, 8, 12, 16].filter((other) => other > 1 || heads > 0);
  return usual.filter((other) => other !== heads && width % other === 0);
}
