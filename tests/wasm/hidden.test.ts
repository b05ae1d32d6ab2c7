// Numbers behind a mask, and numbers without a gradient, change no other number, whatever they are.
// tests/core/hidden_test.cc tests all masks and methods; this file tests every call once.
import type { Tensor } from 'tril';
import { expect, it } from 'vitest';
import { randomNumbers } from './reference.js';
import { tril, withoutLeak } from './trained.js';

const [T, C, hidden] = [9, 8, 7];
const garbage = [0.5, -3, 1e38, Infinity, -Infinity, NaN];

/** `[T, C]` with one number in all rows from `hidden` on. */
function filled(value: number, seed: number): Tensor {
  return tril.tensor(
    [1, T, C],
    randomNumbers(T * C, seed).map((x, i) => (i < hidden * C ? x : value)),
  );
}

/** The rows before `hidden`. */
const seen = (tensor: Tensor) => [...tensor.read()].slice(0, hidden * C);
const all = (tensors: object) =>
  Object.values(tensors).flatMap((tensor: Tensor) => [...tensor.read()]);
const weight = (rows: number, cols: number, seed: number) =>
  tril.tensor([rows, cols], randomNumbers(rows * cols, seed));

const mask = () => tril.mask.padding([hidden]);
const queries = () => tril.tensor([1, T, C], randomNumbers(T * C, 9));
const additive = () => ({
  ...{ w_q: weight(5, C, 1), w_k: weight(5, C, 2), v: tril.randomNormal([5], { seed: 3 }) },
});
const heads = () => ({
  ...{ in_proj_weight: weight(3 * C, C, 4), 'out_proj.weight': weight(C, C, 5) },
});
const block = () => ({
  'self_attn.in_proj_weight': weight(3 * C, C, 4),
  'self_attn.out_proj.weight': weight(C, C, 5),
  'linear1.weight': weight(2 * C, C, 6),
  'linear2.weight': weight(C, 2 * C, 7),
});

/** Each call returns the numbers that may not depend on the hidden number. */
const calls: Record<string, (value: number) => number[]> = {
  attention: (value) => {
    const [k, v, options] = [filled(value, 1), filled(value, 2), { heads: 2, mask: mask() }];
    return all({ out: tril.attention(queries(), k, v, options).output });
  },
  'attention, causal': (value) => {
    const [k, v] = [filled(value, 1), filled(value, 2)];
    return seen(tril.attention(queries(), k, v, { heads: 2, causal: true }).output);
  },
  attentionBackward: (value) => {
    const [q, k, v] = [queries(), filled(value, 1), filled(value, 2)];
    const options = { heads: 2, mask: mask(), softcap: 3 };
    const { output, logSumExp } = tril.attention(q, k, v, { ...options, logSumExp: true });
    const given = { ...options, output, logSumExp };
    return all(tril.attentionBackward(queries(), q, k, v, given));
  },
  additiveAttention: (value) => {
    const [k, v] = [filled(value, 1), filled(value, 2)];
    return all({
      out: tril.additiveAttention(queries(), k, v, additive(), { mask: mask() }).output,
    });
  },
  additiveAttentionBackward: (value) => {
    const [q, k, v] = [queries(), filled(value, 1), filled(value, 2)];
    const { dWeights, ...rest } = tril.additiveAttentionBackward(queries(), q, k, v, additive(), {
      mask: mask(),
    });
    return all({ ...rest, ...dWeights });
  },
  linearAttention: (value) => {
    const [k, v] = [filled(value, 1), filled(value, 2)];
    return (['values_first', 'scores_first'] as const).flatMap((order) =>
      seen(tril.linearAttention(queries(), k, v, { causal: true, order }).output),
    );
  },
  multiHeadAttention: (value) =>
    seen(tril.multiHeadAttention(filled(value, 1), heads(), { heads: 2, mask: mask() }).output),
  multiHeadAttentionBackward: (value) => {
    const options = { heads: 2, mask: mask() };
    const made = tril.multiHeadAttentionBackward(filled(0, 3), filled(value, 1), heads(), options);
    const { dWeights, dX } = made;
    return all({ dX, ...dWeights });
  },
  'multiHeadAttentionBackward, context': (value) => {
    const options = { heads: 2, mask: mask(), context: filled(value, 1) };
    const made = tril.multiHeadAttentionBackward(queries(), queries(), heads(), options);
    const { dWeights, dX, dContext } = made;
    return all({ dX, dContext, ...dWeights });
  },
  transformerBlock: (value) =>
    seen(tril.transformerBlock(filled(value, 1), block(), { heads: 2, mask: mask() }).output),
  transformerBlockBackward: (value) =>
    (['pre', 'post'] as const).flatMap((norm) => {
      const options = { heads: 2, mask: mask(), norm };
      const made = tril.transformerBlockBackward(filled(0, 3), filled(value, 1), block(), options);
      const { dWeights, dX } = made;
      return all({ dX, ...dWeights });
    }),
};

it.each(Object.keys(calls))('%s', (name) => {
  withoutLeak(() => {
    const expected = calls[name]!(garbage[0]!);
    expect(expected.every(Number.isFinite)).toBe(true);
    // Adding 0 turns -0 into 0, which is equal.
    const plain = (numbers: number[]) => numbers.map((x) => x + 0);
    for (const value of garbage) expect(plain(calls[name]!(value))).toEqual(plain(expected));
  });
});
