// Gradients as they should be, and as they come out with the mistakes that are made most often in a backward of
// one's own: of attention, and of a linear layer. Each is computed by the core.
import { TrilError, type Tensor, type Tril } from 'tril';
import {
  fourAxes,
  attentionOptions,
  type AttentionChoices,
  type Candidate,
} from './attention-variants';
import {
  attentionGradients,
  type AttentionGradient,
  type LinearGradient,
} from '../../shared/lessons/check-names';
import {
  dataOf,
  eachRepeated,
  shaped,
  tensorOf,
  transposed,
  type TensorData,
} from '../../shared/lessons/layouts';

export type Given<Name extends string> = Readonly<Record<Name, TensorData>>;

/** What the backward of attention goes through, step by step, [B, H, T, S] and [B, H, ., D]. */
function steps(tril: Tril, four: Given<'q' | 'k' | 'v' | 'd_output'>, masked: object) {
  const [q, k, v] = [four.q, four.k, four.v].map((one) => tensorOf(tril, one));
  const { weights } = tril.attention(q, k, v, { ...masked, trace: true }).trace;
  const times = four.q.shape[1] / four.k.shape[1];
  const [keys, values] = [four.k, four.v].map((one) => tensorOf(tril, eachRepeated(one, times)));
  const dOutput = tensorOf(tril, four.d_output);
  const dWeights = tril.matmul(dOutput, values, { transposeB: true });
  const through = tril.multiply(weights, dWeights);
  const ones = tril.tensor([four.k.shape[2], 1], new Float32Array(four.k.shape[2]).fill(1));
  const dScores = tril.subtract(through, tril.multiply(weights, tril.matmul(through, ones)));
  return { q, keys, dOutput, weights, dWeights, through, dScores, times };
}

/** Of heads that share keys and values, the sum: [B, H, S, D] to [B, Hk, S, D]. */
function summed(tril: Tril, full: Tensor, times: number): Tensor {
  if (times === 1) return full;
  const [batches, heads, tokens, width] = full.shape;
  const groups = (batches * heads) / times;
  const stacked = tril.tensor([groups, times, tokens * width], full.read());
  const ones = tril.tensor([1, times], new Float32Array(times).fill(1));
  const sum = tril.matmul(ones, stacked).read();
  return tril.tensor([batches, heads / times, tokens, width], sum);
}

/** The gradient `of` of causal or masked attention, given that of its output. */
export function attentionBackwardCandidates(
  tril: Tril,
  given: Given<'q' | 'k' | 'v' | 'd_output'> & { readonly mask?: TensorData },
  of: AttentionGradient,
  choices: AttentionChoices,
): Candidate[] {
  const four = (one: TensorData) => shaped(one, fourAxes(one.shape, 0));
  const all = {
    ...{ q: four(given.q), k: four(given.k), v: four(given.v) },
    d_output: four(given.d_output),
  };
  const [batches, heads, queries, depth] = all.q.shape;
  const [, kvHeads, keys] = all.k.shape;
  const wanted = [batches, heads, queries, all.v.shape[3]];
  if (all.d_output.shape.join() !== wanted.join()) {
    const problem = `must be [${wanted.join(', ')}] as the output is, is [${given.d_output.shape.join(', ')}]`;
    throw new TrilError('attentionBackward', 'd_output', problem);
  }
  const like = { d_q: given.q, d_k: given.k, d_v: given.v };
  const back = (tensor: Tensor, name: AttentionGradient = of) =>
    shaped(dataOf(tensor), like[name].shape);
  const masked = (causal = choices.causal) =>
    attentionOptions(tril, given.mask, { ...choices, causal }, [batches, heads, queries, keys]);
  const gradients = (options: object) => {
    const [q, k, v, dOutput] = [all.q, all.k, all.v, all.d_output].map((one) =>
      tensorOf(tril, one),
    );
    const { output, logSumExp } = tril.attention(q, k, v, { ...options, logSumExp: true });
    const found = tril.attentionBackward(dOutput, q, k, v, { ...options, output, logSumExp });
    return { d_q: found.dQuery, d_k: found.dKey, d_v: found.dValue };
  };
  /** From gradients of the scores, [B, H, T, S]. */
  const fromScores = (dScores: Tensor, { q, keys, times }: ReturnType<typeof steps>) => {
    const scaled = tril.multiply(dScores, depth ** -0.5);
    if (of === 'd_q') return back(tril.matmul(scaled, keys));
    return back(summed(tril, tril.matmul(scaled, q, { transposeA: true }), times));
  };
  const taken = (make: (now: ReturnType<typeof steps>) => Tensor) => () => {
    const now = steps(tril, all, masked());
    return fromScores(make(now), now);
  };
  const square = queries === keys;
  const ofScores = of !== 'd_v';
  const times = heads / kvHeads;
  const sameShape = (name: AttentionGradient) =>
    name !== of && like[name].shape.join() === like[of].shape.join();

  const list: (Candidate | false)[] = [
    { id: 'right', run: () => back(gradients(masked())[of]) },
    ofScores && {
      id: 'backwardNoScale',
      run: () => back(tril.multiply(gradients(masked())[of], depth ** 0.5)),
    },
    { id: 'backwardForwardNoScale', run: () => back(gradients({ ...masked(), scale: 1 })[of]) },
    ofScores && {
      id: 'jacobianDiagonal',
      run: taken(({ weights, through }) => tril.subtract(through, tril.multiply(weights, through))),
    },
    ofScores && { id: 'jacobianNoSum', run: taken(({ through }) => through) },
    ofScores &&
      !given.mask && {
        id: 'jacobianNone',
        run: taken(({ dWeights }) => (choices.causal ? tril.triangular(dWeights) : dWeights)),
      },
    choices.causal && {
      id: 'backwardNoMask',
      run: () => back(gradients(masked(false))[of]),
    },
    square && {
      id: 'backwardTransposed',
      run() {
        const now = steps(tril, all, masked());
        if (of === 'd_v') return back(summed(tril, tril.matmul(now.weights, now.dOutput), times));
        const dScores = tril.multiply(now.dScores, depth ** -0.5);
        return of === 'd_q'
          ? back(tril.matmul(dScores, now.keys, { transposeA: true }))
          : back(summed(tril, tril.matmul(dScores, now.q), times));
      },
    },
    ...attentionGradients.filter(sameShape).map((name) => ({
      id: `takenFor${name === 'd_q' ? 'Q' : name === 'd_k' ? 'K' : 'V'}`,
      run: () => back(gradients(masked())[name], name),
    })),
    times > 1 &&
      of !== 'd_q' && {
        id: 'groupsFirstOnly',
        run() {
          const now = steps(tril, all, masked());
          const full =
            of === 'd_v'
              ? tril.matmul(now.weights, now.dOutput, { transposeA: true })
              : tril.matmul(tril.multiply(now.dScores, depth ** -0.5), now.q, { transposeA: true });
          const { shape, data } = dataOf(full);
          const size = shape[2] * shape[3];
          const first = new Float32Array(data.length / times);
          for (let group = 0; group < batches * kvHeads; ++group) {
            const from = group * times * size;
            first.set(data.subarray(from, from + size), group * size);
          }
          return shaped({ shape, data: first }, like[of].shape);
        },
      },
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
  const pick = (one: ReturnType<Tril['linearBackward']>) =>
    dataOf({ d_x: one.dX, d_weight: one.dWeight, d_bias: one.dBias }[of]);
  const gradients = (inputs: TensorData, outputs: TensorData) =>
    pick(
      tril.linearBackward(
        ...([outputs, inputs, weight].map((one) => tensorOf(tril, one)) as [
          Tensor,
          Tensor,
          Tensor,
        ]),
      ),
    );
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

/** A gradient in another shape than it should have: a matrix transposed, or one for each of a batch. */
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
    const ones = tril.tensor([1, count], new Float32Array(count).fill(1));
    const sum = tril.matmul(ones, tril.tensor([count, size], given.data));
    return { id: 'batchNotSummed', data: shaped(dataOf(sum), wanted) };
  }
  return null;
}

/** The number that the right gradient times it comes nearest to what is given: their product over the right one's own. */
export function factorOf(tril: Tril, right: TensorData, given: TensorData): number {
  const row = ({ data }: TensorData) => tril.tensor([1, data.length], data);
  const dot = (x: TensorData, y: TensorData) =>
    tril.matmul(row(x), row(y), { transposeB: true }).read()[0];
  return dot(right, given) / dot(right, right);
}
