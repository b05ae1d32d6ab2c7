// Gradients of additive masks: of multi-head attention against central differences of its definition in double
// precision; of blocks against their parts.
import type { DecoderBlockWeights, MultiHeadWeights, Tensor, TransformerBlockWeights } from 'tril';
import { describe, expect, it } from 'vitest';
import { asTensors as tensorsOf, blockWeights, C, decoderWeights, F } from './block-reference.js';
import { attentionOf, H, S, T, type Plain } from './block-reference.js';
import { gradient, rows } from './differences.js';
import { add, epsilon, expectClose, matmul, randomMatrix, softmax } from './reference.js';
import { transpose, type Matrix } from './reference.js';
import { expectRefused, tril, withoutLeak } from './trained.js';

const asTensors = <Weights>(weights: Plain) => tensorsOf<Weights>(weights, tril);
const [x, memory, d] = [randomMatrix(T, C, 1), randomMatrix(S, C, 2), randomMatrix(T, C, 3)];
const [block, decoder] = [blockWeights(100), decoderWeights(200)];

/** The tolerance of block-gradients.test.ts, relative to the largest number. */
const allowed = 2 * 512 * epsilon;
const expectNear = (found: Tensor, expected: ArrayLike<number>) => {
  const largest = Math.max(1, ...Array.from(expected, Math.abs));
  expectClose(found.read(), Array.from(expected), allowed * largest);
};

/** The weights of one attention of a block. */
const partOf = (weights: Plain, part: string) =>
  asTensors<MultiHeadWeights>(attentionOf(weights, part) as unknown as Plain);

/** Multi-head attention with `mask`, flat [H, T, S], added to the scores. */
function masked(context: Matrix, weights: Plain, part: string, mask: readonly number[]): Matrix {
  const of = attentionOf(weights, part);
  const [keys, depth] = [context.length, C / H];
  const project = (input: Matrix, n: number) =>
    add(
      matmul(input, transpose(of.in_proj_weight.slice(n * C, (n + 1) * C))),
      of.in_proj_bias.slice(n * C, (n + 1) * C),
    );
  const [q, k, v] = [project(x, 0), project(context, 1), project(context, 2)];
  const columns = (a: Matrix, h: number) => a.map((row) => row.slice(h * depth, (h + 1) * depth));
  const heads = Array.from({ length: H }, (_, h) => {
    const added = rows(mask.slice(h * T * keys, (h + 1) * T * keys), keys);
    const scores = matmul(columns(q, h), transpose(columns(k, h)));
    const weighted = scores.map((row, t) =>
      softmax(row.map((score, s) => score / Math.sqrt(depth) + added[t]![s]!)),
    );
    return matmul(weighted, columns(v, h));
  });
  const joined = x.map((_, t) => heads.flatMap((one) => one[t]!));
  return add(matmul(joined, transpose(of['out_proj.weight'])), of['out_proj.bias']);
}

describe('the gradient of a mask', () => {
  it('of multi-head attention, to itself and to a context', () => {
    withoutLeak(() => {
      const weights = partOf(block, 'self_attn');
      for (const [context, options] of [
        [x, {}],
        [memory, { context: tril.tensor(memory) }],
      ] as const) {
        const zeros = new Array<number>(H * T * context.length).fill(0);
        const slopes = gradient(
          (mask) => masked(context, block, 'self_attn', mask).flat(),
          zeros,
          d.flat(),
        );
        const asked = { heads: H, maskGradient: true, ...options } as const;
        const found = tril.multiHeadAttentionBackward(
          tril.tensor(d),
          tril.tensor(x),
          weights,
          asked,
        );
        expect(found.dMask.shape).toEqual([H, T, context.length]);
        expectNear(found.dMask, slopes);
        // The other gradients are the same as without it.
        const plain = tril.multiHeadAttentionBackward(tril.tensor(d), tril.tensor(x), weights, {
          ...{ heads: H, ...options },
        });
        expect(plain.dMask).toBeUndefined();
        expect(found.dX.read()).toEqual(plain.dX.read());
      }
      const batch = tril.tensor([x, x]);
      const causal = { heads: H, causal: true, maskGradient: true } as const;
      const { dMask } = tril.multiHeadAttentionBackward(batch, batch, weights, causal);
      expect(dMask.shape).toEqual([2, H, T, T]);
      const hidden = dMask
        .toArray<number[][][][]>()
        .flatMap((heads) => heads.flatMap((one) => one.flatMap((row, t) => row.slice(t + 1))));
      expect(hidden.every((value) => value === 0)).toBe(true);
    });
  });

  // Without its feed-forward part, a pre-norm block is x + attention(norm1(x)): the gradient of attention's output is
  // that of the block's output.
  const still = (weights: Plain): Plain => ({
    ...weights,
    'linear2.weight': Array.from({ length: C }, () => new Array<number>(F).fill(0)),
    'linear2.bias': new Array<number>(C).fill(0),
  });

  it('of a block is that of its attention', () => {
    withoutLeak(() => {
      const weights = asTensors<TransformerBlockWeights>(still(block));
      const [from, dOutput] = [tril.tensor(x), tril.tensor(d)];
      const options = { heads: H, causal: true, maskGradient: true } as const;
      const pre = { ...options, norm: 'pre' } as const;
      const found = tril.transformerBlockBackward(dOutput, from, weights, pre);
      const normed = tril.layerNorm(from, {
        ...{ weight: weights['norm1.weight']!, bias: weights['norm1.bias']! },
      });
      const part = partOf(block, 'self_attn');
      const { dMask } = tril.multiHeadAttentionBackward(dOutput, normed, part, options);
      expect(found.dMask.shape).toEqual([H, T, T]);
      expectNear(found.dMask, dMask.read());
      const plain = tril.transformerBlockBackward(dOutput, from, weights, {
        ...{ heads: H, causal: true, norm: 'pre' },
      });
      expect(Object.keys(plain).sort()).toEqual(['dWeights', 'dX']);
    });
  });

  it("of a decoder's block are those of its two attentions", () => {
    withoutLeak(() => {
      const weights = asTensors<DecoderBlockWeights>(still(decoder));
      const [from, to, dOutput] = [tril.tensor(x), tril.tensor(memory), tril.tensor(d)];
      const options = { heads: H, causal: true, maskGradient: true } as const;
      const pre = { ...options, norm: 'pre' } as const;
      const found = tril.decoderBlockBackward(dOutput, from, to, weights, pre);
      const scaled = (n: 1 | 2) => ({
        ...{ weight: weights[`norm${n}.weight`]!, bias: weights[`norm${n}.bias`]! },
      });
      const normed = tril.layerNorm(from, scaled(1));
      const self = partOf(decoder, 'self_attn');
      const { output } = tril.multiHeadAttention(normed, self, { heads: H, causal: true });
      const y = tril.add(from, output);
      const asked = { heads: H, context: to, maskGradient: true } as const;
      const cross = tril.multiHeadAttentionBackward(
        ...([
          dOutput,
          tril.layerNorm(y, scaled(2)),
          partOf(decoder, 'multihead_attn'),
          asked,
        ] as const),
      );
      expect(found.dMemoryMask.shape).toEqual([H, T, S]);
      expectNear(found.dMemoryMask, cross.dMask.read());
      const { weight } = scaled(2);
      const dY = tril.add(dOutput, tril.layerNormBackward(cross.dX, y, { weight }).dX);
      const { dMask } = tril.multiHeadAttentionBackward(dY, normed, self, options);
      expectNear(found.dMask, dMask.read());
    });
  });

  it('is refused where it is no question', () => {
    withoutLeak(() => {
      const [from, wrong] = [tril.tensor(x), { heads: H, maskGradient: 1 as never }];
      const refuse = (call: string, body: () => unknown) =>
        expectRefused(body, {
          call,
          argument: 'maskGradient',
          says: 'must be true or false, is 1',
        });
      const heads = partOf(block, 'self_attn');
      refuse('multiHeadAttentionBackward', () =>
        tril.multiHeadAttentionBackward(from, from, heads, wrong),
      );
      const one = asTensors<TransformerBlockWeights>(block);
      refuse('transformerBlockBackward', () =>
        tril.transformerBlockBackward(from, from, one, wrong),
      );
      const two = asTensors<DecoderBlockWeights>(decoder);
      refuse('decoderBlockBackward', () => tril.decoderBlockBackward(from, from, from, two, wrong));
    });
  });
});
