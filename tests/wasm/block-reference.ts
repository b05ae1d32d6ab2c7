// Transformer blocks by their definition, in double precision, and weights for them.
import { tril } from './helpers.js';
import { add, matmul, multiHead, normalise, plus } from './reference.js';
import { randomMatrix, transpose, type Matrix, type MultiHeadPlain } from './reference.js';

export const [T, S, C, H, F] = [5, 4, 8, 2, 12];
export type Plain = Record<string, Matrix | number[]>;

const vector = (size: number, seed: number) => randomMatrix(1, size, seed)[0]!;

export const attentionWeights = (part: string, seed: number): Plain => ({
  [`${part}.in_proj_weight`]: randomMatrix(3 * C, C, seed),
  [`${part}.in_proj_bias`]: vector(3 * C, seed + 1),
  [`${part}.out_proj.weight`]: randomMatrix(C, C, seed + 2),
  [`${part}.out_proj.bias`]: vector(C, seed + 3),
});

export const normWeights = (names: string[], seed: number): Plain =>
  Object.fromEntries(
    names.flatMap((name, i) => [
      [`${name}.weight`, vector(C, seed + 2 * i)],
      [`${name}.bias`, vector(C, seed + 2 * i + 1)],
    ]),
  );

export const blockWeights = (seed: number): Plain => ({
  ...attentionWeights('self_attn', seed),
  'linear1.weight': randomMatrix(F, C, seed + 10),
  'linear1.bias': vector(F, seed + 11),
  'linear2.weight': randomMatrix(C, F, seed + 12),
  'linear2.bias': vector(C, seed + 13),
  ...normWeights(['norm1', 'norm2'], seed + 20),
});

export const decoderWeights = (seed: number): Plain => ({
  ...blockWeights(seed),
  ...attentionWeights('multihead_attn', seed + 30),
  ...normWeights(['norm3'], seed + 40),
});

export const prefixed = (prefix: string, weights: Plain): Plain =>
  Object.fromEntries(Object.entries(weights).map(([name, value]) => [prefix + name, value]));

export const asTensors = <Weights>(weights: Plain, module = tril): Weights =>
  Object.fromEntries(
    Object.entries(weights).map(([name, value]) => [name, module.tensor(value as number[])]),
  ) as Weights;

export const attentionOf = (weights: Plain, part: string): MultiHeadPlain => ({
  in_proj_weight: weights[`${part}.in_proj_weight`] as Matrix,
  in_proj_bias: weights[`${part}.in_proj_bias`] as number[],
  'out_proj.weight': weights[`${part}.out_proj.weight`] as Matrix,
  'out_proj.bias': weights[`${part}.out_proj.bias`] as number[],
});

export const norm = (x: Matrix, weights: Plain, name: string): Matrix => {
  const [scale, shift] = [weights[`${name}.weight`], weights[`${name}.bias`]] as [
    number[],
    number[],
  ];
  return normalise(x).map((row) => row.map((value, c) => value * scale[c]! + shift[c]!));
};

export function feedForward(x: Matrix, weights: Plain) {
  const layer = (input: Matrix, name: string) =>
    add(
      matmul(input, transpose(weights[`${name}.weight`] as Matrix)),
      weights[`${name}.bias`] as number[],
    );
  const hidden = layer(x, 'linear1');
  const activated = hidden.map((row) => row.map((value) => Math.max(0, value)));
  return { hidden, activated, output: layer(activated, 'linear2') };
}

/** A sublayer with its residual connection and its norm, in either order: the output, and the intermediate results. */
function sublayer(x: Matrix, order: string, f: (x: Matrix) => Matrix, by: (x: Matrix) => Matrix) {
  if (order === 'pre') {
    const normed = by(x);
    const residual = plus(x, f(normed));
    return { out: residual, residual, normed };
  }
  const residual = plus(x, f(x));
  const normed = by(residual);
  return { out: normed, residual, normed };
}

export function block(
  x: Matrix,
  weights: Plain,
  order: string,
  causal: boolean,
): Record<string, Matrix> {
  let attention: Matrix = [];
  const first = sublayer(
    x,
    order,
    (input) => {
      attention = multiHead(input, input, attentionOf(weights, 'self_attn'), H, causal).output;
      return attention;
    },
    (input) => norm(input, weights, 'norm1'),
  );
  let fed = { hidden: [] as Matrix, activated: [] as Matrix, output: [] as Matrix };
  const second = sublayer(
    first.out,
    order,
    (input) => (fed = feedForward(input, weights)).output,
    (input) => norm(input, weights, 'norm2'),
  );
  return {
    attention,
    residual1: first.residual,
    normed1: first.normed,
    hidden: fed.hidden,
    activated: fed.activated,
    feedForward: fed.output,
    residual2: second.residual,
    normed2: second.normed,
    output: second.out,
  };
}

export function decoderBlock(x: Matrix, memory: Matrix, weights: Plain, order: string): Matrix {
  const attend = (part: string, causal: boolean, source?: Matrix) => (input: Matrix) =>
    multiHead(input, source ?? input, attentionOf(weights, part), H, causal).output;
  const by = (name: string) => (input: Matrix) => norm(input, weights, name);
  const first = sublayer(x, order, attend('self_attn', true), by('norm1'));
  const cross = attend('multihead_attn', false, memory);
  const second = sublayer(first.out, order, cross, by('norm2'));
  const feed = (input: Matrix) => feedForward(input, weights).output;
  return sublayer(second.out, order, feed, by('norm3')).out;
}
