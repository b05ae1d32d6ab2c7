// The definitions themselves, in double precision and without regard to speed: the reference for the package. Matrices
// are arrays of rows.
import { attentionMethods } from 'tril';
import { expect } from 'vitest';

export type Matrix = number[][];

/** The bits of a tensor's numbers. */
export const bits = (x: { read(): Float32Array }) => [...new Uint32Array(x.read().buffer)];

/** 2^-23: the distance from 1 to the next float32. */
export const epsilon = 2 ** -23;

export const transpose = (a: Matrix): Matrix => a[0]!.map((_, j) => a.map((row) => row[j]!));

export const matmul = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));

export const add = (a: Matrix, b: readonly number[]): Matrix =>
  a.map((row) => row.map((x, j) => x + b[j]!));

/** Softmax of a row; a row of -inf alone gives zeros. */
export function softmax(row: readonly number[], temperature = 1): number[] {
  const largest = Math.max(...row);
  if (largest === -Infinity) return row.map(() => 0);
  const powers = row.map((x) => Math.exp((x - largest) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}

export interface Attention {
  scores: Matrix;
  masked: Matrix;
  weights: Matrix;
  output: Matrix;
}

/** One head. `sees(t, s)`: whether query t sees key s. */
export function attention(
  query: Matrix,
  key: Matrix,
  value: Matrix,
  sees: (t: number, s: number) => boolean = () => true,
  scale = 1 / Math.sqrt(query[0]!.length),
): Attention {
  const scores = matmul(query, transpose(key)).map((row) => row.map((x) => x * scale));
  const masked = scores.map((row, t) => row.map((x, s) => (sees(t, s) ? x : -Infinity)));
  const weights = masked.map((row) => softmax(row));
  return { scores, masked, weights, output: matmul(weights, value) };
}

/** The methods that can show the scores: `online` never has them all. */
export const tracedMethods = attentionMethods.filter((method) => method !== 'online');
/**
 * The tolerance for numbers of size 1 through two products and a softmax; the rest of the bound is for the exponential.
 */
export const attentionTolerance = 32 * epsilon;

/**
 * The tolerance for the logits of a small model, relative to the largest (tests/core/pretrained_test.cc): up to two
 * layers are fewer than 30 operations in a row, each a sum of up to 64 terms.
 */
export const logitsTolerance = 30 * 64 * (epsilon / 2);

/** The tolerance for the sum of `count` weights, which is 1: each quotient and each sum is rounded. */
export const sumTolerance = (count: number): number => count * (epsilon / 2);

/** Heads of random numbers: [heads][length][width]. */
export const headsOf = (count: number, length: number, width: number, seed: number): Matrix[] =>
  Array.from({ length: count }, (_, h) => randomMatrix(length, width, seed + h));

/** Weights of nn.MultiheadAttention as numbers. */
export interface MultiHeadPlain {
  in_proj_weight: Matrix;
  in_proj_bias: number[];
  'out_proj.weight': Matrix;
  'out_proj.bias': number[];
}

/** nn.MultiheadAttention by its definition, for one sequence. */
export function multiHead(
  x: Matrix,
  context: Matrix,
  weights: MultiHeadPlain,
  count: number,
  causal: boolean,
) {
  const width = x[0]!.length;
  const depth = width / count;
  const project = (input: Matrix, part: number) =>
    add(
      matmul(input, transpose(weights.in_proj_weight.slice(part * width, (part + 1) * width))),
      weights.in_proj_bias.slice(part * width, (part + 1) * width),
    );
  const columns = (matrix: Matrix, h: number) =>
    matrix.map((row) => row.slice(h * depth, (h + 1) * depth));
  const [q, k, v] = [project(x, 0), project(context, 1), project(context, 2)];
  const heads = Array.from({ length: count }, (_, h) => ({
    queries: columns(q, h),
    keys: columns(k, h),
    values: columns(v, h),
    ...attention(columns(q, h), columns(k, h), columns(v, h), (t, s) => !causal || s <= t),
  }));
  const joined = x.map((_, t) => heads.flatMap((head) => head.output[t]!));
  const projected = matmul(joined, transpose(weights['out_proj.weight']));
  return { heads, output: add(projected, weights['out_proj.bias']) };
}

/** Seeded numbers in [-1, 1), rounded to float32 so that both sides start from the same numbers (mulberry32). */
export function randomNumbers(count: number, seed: number): number[] {
  let state = seed >>> 0;
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.fround((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * 2 - 1);
  });
}

export function randomMatrix(rows: number, cols: number, seed: number): Matrix {
  const numbers = randomNumbers(rows * cols, seed);
  return Array.from({ length: rows }, (_, i) => numbers.slice(i * cols, (i + 1) * cols));
}

/** Expects every number to be within `tolerance` of the expected one, or equal to it (infinities). */
export function expectClose(
  actual: Iterable<number>,
  expected: Iterable<number>,
  tolerance: number,
): void {
  const got = [...actual];
  const wanted = [...expected];
  expect(got.length).toBe(wanted.length);
  let worst = { index: -1, error: 0 };
  for (const [index, value] of wanted.entries()) {
    if (Object.is(got[index], value) || got[index] === value) continue;
    const error = Math.abs(got[index]! - value);
    if (!(error <= worst.error)) worst = { index, error };
  }
  if (!(worst.error <= tolerance)) {
    const { index, error } = worst;
    expect.fail(
      `number ${index} of ${wanted.length}: expected ${wanted[index]}, is ${got[index]}, ` +
        `${error} apart, tolerance ${tolerance}`,
    );
  }
}

/** Layer normalisation of every row, without scale and shift. */
export const normalise = (x: Matrix, eps = 1e-5): Matrix =>
  x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map((value) => (value - mean) / Math.sqrt(variance + eps));
  });

export const plus = (a: Matrix, b: Matrix): Matrix =>
  a.map((row, i) => row.map((value, j) => value + b[i]![j]!));
