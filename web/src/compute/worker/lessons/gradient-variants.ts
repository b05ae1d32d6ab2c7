// Correct gradients, and the results of the most frequent mistakes in a hand-written backward pass: of attention, most
// of them edits of the correct steps, and of a linear layer. Each is computed by the core.
import { TrilError, type Tril } from 'tril';
import type { GraphEdit } from 'tril/graph';
import {
  fourAxes,
  attentionOptions,
  type AttentionChoices,
  type Candidate,
} from './attention-variants';
import { adds, changed, mistakes } from './mistaken';
import {
  attentionGradients,
  type AttentionGradient,
  type LinearGradient,
} from '../../shared/lessons/check-names';
import { ones } from '../../shared/lessons/matrices';
import {
  dataOf,
  shaped,
  tensorOf,
  transposed,
  type TensorData,
} from '../../shared/lessons/layouts';

export type Given<Name extends string> = Readonly<Record<Name, TensorData>>;

/** The gradient `of` of causal or masked attention, given that of its output. */
export function attentionBackwardCandidates(
  tril: Tril,
  given: Given<'q' | 'k' | 'v' | 'd_output'> & { readonly mask?: TensorData },
  of: AttentionGradient,
  choices: AttentionChoices,
): Candidate[] {
  const four = (one: TensorData) => shaped(one, fourAxes(one.shape, 0));
  const [q, k, v] = [given.q, given.k, given.v].map(four);
  const dOutput = four(given.d_output);
  const [batches, heads, queries] = q.shape;
  const [, shared, keys] = k.shape;
  const wanted = [batches, heads, queries, v.shape[3]];
  if (dOutput.shape.join() !== wanted.join()) {
    const problem = `must be [${wanted.join(', ')}] as the output is, is [${given.d_output.shape.join(', ')}]`;
    throw new TrilError('attentionBackward', 'd_output', problem);
  }
  const { causal } = choices;
  const like = { d_q: given.q, d_k: given.k, d_v: given.v };
  /** The core's result of a single call. */
  const taken = (id: string, name: AttentionGradient, scale = {}): Candidate => ({
    id,
    run() {
      const [query, key, value, d] = [q, k, v, dOutput].map((one) => tensorOf(tril, one));
      const scores = [batches, heads, queries, keys];
      const options = { ...attentionOptions(tril, given.mask, choices, scores), ...scale };
      const made = tril.attention(query, key, value, { ...options, logSumExp: true });
      const { output, logSumExp } = made;
      const found = tril.attentionBackward(d, query, key, value, { ...options, output, logSumExp });
      const gradient = { d_q: found.dQuery, d_k: found.dKey, d_v: found.dValue }[name];
      return shaped(dataOf(gradient), like[name].shape);
    },
  });
  const steps = { Q: q, K: k, V: v, d_output: dOutput };
  /** Gradients of heads that share keys and values are added up. */
  const count = of === 'd_q' ? heads : shared;
  const groups = {
    shape: [batches * count, heads / count, like[of].data.length / batches / count],
  };
  const sum = [
    adds('groups', 'reshape', [{ d_q: 'd_Q', d_k: 'd_K', d_v: 'd_V' }[of]], groups),
    adds('gradient', 'sum', ['groups'], { axis: 1 }),
  ];
  /** The correct steps with edits. */
  const by = (id: string, edits: readonly GraphEdit[]): Candidate => ({
    id,
    run() {
      const inputs = { ...steps, ...(given.mask && { mask: given.mask }) };
      const gradient = changed(tril, inputs, choices, [...sum, ...edits], 'gradient');
      return shaped(gradient, like[of].shape);
    },
  });
  const those = { name: '', inputs: steps };
  const usual = (id: keyof typeof mistakes): Candidate => by(id, mistakes[id](those));
  const square = queries === keys;
  const ofScores = of !== 'd_v';
  const isTransposed = {
    d_q: [
      adds('turned', 'transpose', ['d_product'], { axes: [0, 1, 3, 2] }),
      { rewire: 'd_Q', input: 'a', to: 'turned' },
    ],
    d_k: [{ rewire: 'd_K', input: 'a', to: 'd_product' }],
    d_v: mistakes.backwardTransposed(those),
  };
  const sameShape = (name: AttentionGradient) =>
    name !== of && like[name].shape.join() === like[of].shape.join();

  const list: (Candidate | false)[] = [
    taken('right', of),
    ofScores && usual('backwardNoScale'),
    taken('backwardForwardNoScale', of, { scale: 1 }),
    ofScores &&
      by('jacobianDiagonal', [
        { replace: 'share', operation: 'multiply', inputs: ['weights', 'd_weights'] },
      ]),
    ofScores && usual('jacobianNoSum'),
    ofScores &&
      !given.mask &&
      by('jacobianNone', [
        ...mistakes.jacobianNone(those),
        ...(causal ? [adds('seen', 'mask', ['d_weights'], { hidden: 0 })] : []),
        ...(causal ? [{ rewire: 'd_product', input: 'x', to: 'seen' }] : []),
      ]),
    causal && by('backwardNoMask', mistakes.noMask(those)),
    square && by('backwardTransposed', isTransposed[of]),
    ...attentionGradients
      .filter(sameShape)
      .map((name) => taken(`takenFor${name.slice(2).toUpperCase()}`, name)),
    heads > shared &&
      of !== 'd_q' &&
      by('groupsFirstOnly', [
        { replace: 'gradient', operation: 'take', options: { axis: 1, indices: [0] } },
      ]),
  ];
  return list.filter((one) => one !== false);
}

/** The gradient `of` of x weightᵀ + bias, given that of the output. */
export function linearBackwardCandidates(
  tril: Tril,
  given: Given<'x' | 'weight' | 'd_output'>,
  of: LinearGradient,
): Candidate[] {
  const { x, weight, d_output: dOutput } = given;
  const gradients = (inputs: TensorData, outputs: TensorData) => {
    const [d, from, by] = [outputs, inputs, weight].map((one) => tensorOf(tril, one));
    const { dX, dWeight, dBias } = tril.linearBackward(d, from, by);
    return dataOf({ d_x: dX, d_weight: dWeight, d_bias: dBias }[of]);
  };
  const square = weight.shape[0] === weight.shape[1];
  const batches = x.shape[0];
  const one = ({ shape, data }: TensorData, batch: number) => {
    const size = data.length / batches;
    return shaped({ shape, data: data.slice(batch * size, (batch + 1) * size) }, shape.slice(1));
  };
  const ofBatch = (batch: number) => () => gradients(one(x, batch), one(dOutput, batch));
  const list: (Candidate | false)[] = [
    { id: 'right', run: () => gradients(x, dOutput) },
    square &&
      of === 'd_weight' && {
        id: 'weightTransposed',
        run: () => transposed(gradients(x, dOutput)),
      },
    square &&
      of === 'd_x' && {
        id: 'weightNotTransposed',
        run: () => dataOf(tril.linear(tensorOf(tril, dOutput), tensorOf(tril, weight))),
      },
    of !== 'd_x' && x.shape.length > 2 && { id: 'batchFirstOnly', run: ofBatch(0) },
    of !== 'd_x' && x.shape.length > 2 && { id: 'batchLastOnly', run: ofBatch(batches - 1) },
  ];
  return list.filter((one) => one !== false);
}

/** A gradient of a wrong shape: a transposed matrix, or one for each element of a batch. */
export function otherwiseShaped(
  tril: Tril,
  given: TensorData,
  wanted: readonly number[],
): { readonly id: string; readonly data: TensorData } | null {
  const { shape } = given;
  if (wanted.length === 2 && shape.join() === [wanted[1], wanted[0]].join()) {
    return { id: 'weightTransposed', data: transposed(given) };
  }
  if (shape.length > wanted.length && shape.join().endsWith(`,${wanted.join()}`)) {
    const size = wanted.reduce((product, one) => product * one, 1);
    const count = given.data.length / size;
    const sum = tril.matmul(ones(tril, 1, count), tril.tensor([count, size], given.data));
    return { id: 'batchNotSummed', data: shaped(dataOf(sum), wanted) };
  }
  return null;
}

/**
 * The factor by which the correct gradient comes nearest to the given one: their dot product, divided by the square of
 * the correct one's norm.
 */
export function factorOf(tril: Tril, right: TensorData, given: TensorData): number {
  const row = ({ data }: TensorData) => tril.tensor([1, data.length], data);
  const dot = (x: TensorData, y: TensorData) =>
    tril.matmul(row(x), row(y), { transposeB: true }).read()[0];
  return dot(right, given) / dot(right, right);
}
