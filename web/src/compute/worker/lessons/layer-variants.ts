// nn.MultiheadAttention and nn.TransformerEncoderLayer by the names of their state_dict, correct and with the choices
// and mistakes that make a difference most often.
import type {
  Activation,
  MultiHeadOptions,
  MultiHeadWeights,
  Tensor,
  TransformerBlockWeights,
  Tril,
} from 'tril';
import { otherHeads, type Candidate } from './attention-variants';
import {
  dataOf,
  partsInOrder,
  tensorOf,
  transposed,
  type TensorData,
} from '../../shared/lessons/layouts';

export type Named = Readonly<Record<string, TensorData>>;

export interface LayerChoices {
  readonly causal: boolean;
  readonly heads: number;
  readonly norm: 'post' | 'pre';
  readonly activation: Activation;
}

const tensors = (tril: Tril, weights: Named): Record<string, Tensor> =>
  Object.fromEntries(Object.entries(weights).map(([name, one]) => [name, tensorOf(tril, one)]));

/** Weights with one of them changed, if it exists. */
function changed(weights: Named, name: string, change: (one: TensorData) => TensorData): Named {
  return name in weights ? { ...weights, [name]: change(weights[name]) } : weights;
}

const without = (weights: Named, names: readonly string[]): Named =>
  Object.fromEntries(Object.entries(weights).filter(([name]) => !names.includes(name)));

export function multiHeadCandidates(
  tril: Tril,
  x: TensorData,
  weights: Named,
  { causal, heads }: LayerChoices,
): Candidate[] {
  const run = (options: Partial<MultiHeadOptions> = {}, given: Named = weights) =>
    dataOf(
      tril.multiHeadAttention(
        tensorOf(tril, x),
        tensors(tril, given) as unknown as MultiHeadWeights,
        { heads, causal, ...options },
      ).output,
    );
  /** Weights with the parts of in_proj, q, k and v, or those of each head, in another order. */
  const stacked = (order: readonly number[]) =>
    changed(
      changed(weights, 'in_proj_weight', (one) => partsInOrder(one, order)),
      'in_proj_bias',
      (one) => partsInOrder(one, order),
    );
  // [H, 3, d] instead of [3, H, d]
  const headByHead = [0, 1, 2].flatMap((part) =>
    Array.from({ length: heads }, (_, head) => 3 * head + part),
  );
  const biases = Object.keys(weights).filter((name) => name.endsWith('bias'));
  const depth = x.shape[x.shape.length - 1] / heads;
  return [
    { id: 'right', run: () => run() },
    { id: causal ? 'noMask' : 'causalThough', run: () => run({ causal: !causal }) },
    { id: 'noScale', run: () => run({ scale: 1 }) },
    { id: 'scaleByModel', run: () => run({ scale: (heads * depth) ** -0.5 }) },
    { id: 'swappedQK', run: () => run({}, stacked([1, 0, 2])) },
    { id: 'swappedKV', run: () => run({}, stacked([0, 2, 1])) },
    ...(heads > 1 ? [{ id: 'interleaved', run: () => run({}, stacked(headByHead)) }] : []),
    {
      id: 'outTransposed',
      run: () => run({}, changed(weights, 'out_proj.weight', transposed)),
    },
    ...(biases.length > 1
      ? biases.map((name) => ({
          id: name.startsWith('out') ? 'noOutBias' : 'noInBias',
          run: () => run({}, without(weights, [name])),
        }))
      : []),
    ...(biases.length > 0 ? [{ id: 'noBias', run: () => run({}, without(weights, biases)) }] : []),
    ...otherHeads(x, heads).map((other) => ({
      id: 'otherHeads',
      value: other,
      run: () => run({ heads: other }),
    })),
  ];
}

const activations = ['relu', 'gelu', 'gelu_tanh', 'silu'] as const satisfies readonly Activation[];

export function blockCandidates(
  tril: Tril,
  x: TensorData,
  weights: Named,
  { causal, heads, norm, activation }: LayerChoices,
): Candidate[] {
  type Options = Parameters<Tril['transformerBlock']>[2];
  const run = (options: Partial<Options> = {}, given: Named = weights) =>
    dataOf(
      tril.transformerBlock(
        tensorOf(tril, x),
        tensors(tril, given) as unknown as TransformerBlockWeights,
        { heads, causal, norm, activation, ...options },
      ).output,
    );
  const biases = Object.keys(weights).filter((name) => name.endsWith('bias'));
  const norms = Object.keys(weights).filter((name) => name.startsWith('norm'));
  const other = norm === 'pre' ? 'post' : 'pre';
  return [
    { id: 'right', run: () => run() },
    { id: causal ? 'noMask' : 'causalThough', run: () => run({ causal: !causal }) },
    { id: other === 'pre' ? 'preNorm' : 'postNorm', run: () => run({ norm: other }) },
    {
      id: causal ? 'otherNormNoMask' : 'otherNormCausal',
      run: () => run({ norm: other, causal: !causal }),
    },
    ...activations.flatMap((one, value) =>
      one === activation
        ? []
        : [
            { id: 'otherActivation', value, run: () => run({ activation: one }) },
            {
              id: 'otherActivationAndNorm',
              value,
              run: () => run({ activation: one, norm: other }),
            },
          ],
    ),
    { id: 'noScale', run: () => run({ scale: 1 }) },
    { id: 'eps', run: () => run({ eps: 1e-6 }) },
    ...(biases.length > 0 ? [{ id: 'noBias', run: () => run({}, without(weights, biases)) }] : []),
    ...(norms.length > 0
      ? [{ id: 'noNormWeights', run: () => run({}, without(weights, norms)) }]
      : []),
    ...otherHeads(x, heads).map((one) => ({
      id: 'otherHeads',
      value: one,
      run: () => run({ heads: one }),
    })),
  ];
}
