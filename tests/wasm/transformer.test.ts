import { loadTril, variants, type DecoderBlockWeights, type Tensor } from 'tril';
import type { TransformerBlockWeights, TransformerWeights } from 'tril';
import { describe, expect, it } from 'vitest';
import {
  asTensors,
  block,
  blockWeights,
  C,
  decoderBlock,
  decoderWeights,
  F,
  H,
  norm,
} from './block-reference.js';
import { normWeights, prefixed, S, T, type Plain } from './block-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose, randomMatrix } from './reference.js';

/** Several sums of up to F products in a row, with a norm's division between them. */
const tolerance = 512 * epsilon;

const x = randomMatrix(T, C, 1);
const memory = randomMatrix(S, C, 2);

describe.each(['post', 'pre'] as const)('with norm: %s', (order) => {
  it('transformerBlock is its definition, and shows its way there', () => {
    withoutLeak(() => {
      const weights = blockWeights(100);
      const state = asTensors<TransformerBlockWeights>(weights);
      for (const causal of [false, true]) {
        for (const batch of [[], [1]]) {
          const { output, trace } = tril.transformerBlock(
            tril.tensor([...batch, T, C], x.flat()),
            state,
            { heads: H, norm: order, causal, trace: true },
          );
          const expected = block(x, weights, order, causal);
          expect(output.shape).toEqual([...batch, T, C]);
          expectClose(output.read(), expected['output']!.flat(), tolerance);
          const { queries, keys, values, scores, masked, weights: shares, heads, ...rest } = trace;
          expect([queries, keys, values, heads].map((each) => each.shape)).toEqual(
            Array(4).fill([...batch, H, T, C / H]),
          );
          expect([scores, masked, shares].map((each) => each.shape)).toEqual(
            Array(3).fill([...batch, H, T, T]),
          );
          const steps = { ...rest } as Record<string, Tensor>;
          expect(Object.keys(steps).sort()).toEqual(
            Object.keys(expected)
              .filter((name) => name !== 'output')
              .sort(),
          );
          for (const [name, step] of Object.entries(steps)) {
            expectClose(step.read(), expected[name]!.flat(), tolerance);
          }
        }
      }
    });
  });

  it('decoderBlock is its definition', () => {
    withoutLeak(() => {
      const weights = decoderWeights(200);
      const out = tril.zeros([T, C]);
      const { output, trace } = tril.decoderBlock(
        tril.tensor(x),
        tril.tensor(memory),
        asTensors<DecoderBlockWeights>(weights),
        { heads: H, norm: order, causal: true, trace: true, out },
      );
      expect(output).toBe(out);
      expectClose(out.read(), decoderBlock(x, memory, weights, order).flat(), tolerance);
      expect(trace.weights.shape).toEqual([H, T, T]);
      expect(trace.crossAttention.weights.shape).toEqual([H, T, S]);
      expect(trace.crossAttention.keys.shape).toEqual([H, S, C / H]);
      expect(trace.cross.shape).toEqual([T, C]);
    });
  });

  it('transformer is its blocks, one after the other', () => {
    withoutLeak(() => {
      const layers = [300, 400].map(blockWeights);
      const decoders = [500, 600].map(decoderWeights);
      const ends = {
        ...normWeights(['encoder.norm'], 700),
        ...normWeights(['decoder.norm'], 710),
      };
      const weights: Plain = {
        ...ends,
        ...Object.assign({}, ...layers.map((each, i) => prefixed(`encoder.layers.${i}.`, each))),
        ...Object.assign({}, ...decoders.map((each, i) => prefixed(`decoder.layers.${i}.`, each))),
      };
      let encoded = memory;
      for (const layer of layers) encoded = block(encoded, layer, order, false)['output']!;
      encoded = norm(encoded, ends, 'encoder.norm');
      let decoded = x;
      for (const layer of decoders) decoded = decoderBlock(decoded, encoded, layer, order);
      decoded = norm(decoded, ends, 'decoder.norm');
      const { output, trace } = tril.transformer(
        tril.tensor([memory]),
        tril.tensor([x]),
        asTensors<TransformerWeights>(weights),
        { heads: H, norm: order, causal: true, trace: true },
      );
      expect(output.shape).toEqual([1, T, C]);
      // Four blocks: each passes its input's error on and adds its own.
      expectClose(output.read(), decoded.flat(), 8 * tolerance);
      expectClose(trace.memory.read(), encoded.flat(), 4 * tolerance);
      expect(trace.encoder).toHaveLength(2);
      expect(trace.decoder).toHaveLength(2);
      expect(trace.encoder[1]!.hidden.shape).toEqual([1, S, F]);
      expect(trace.decoder[1]!.crossAttention.scores.shape).toEqual([1, H, T, S]);
    });
  });
});

describe('blocks refuse', () => {
  it('weights that are unknown, missing or of another shape, naming them as PyTorch does', () => {
    withoutLeak(() => {
      const state = asTensors<TransformerBlockWeights>(blockWeights(1));
      const input = tril.tensor(x);
      const [wide, flat] = [tril.zeros([C + 1, C + 1]), tril.zeros([C + 1])];
      const out = tril.zeros([T, C]);
      const refuse = (changed: object, argument: string, says: string | RegExp) => {
        const weights = { ...state, ...changed };
        const body = () => tril.transformerBlock(input, weights, { heads: H, out });
        expectRefused(body, { call: 'transformerBlock', argument, says, out });
      };
      refuse({ 'norm3.weight': flat }, 'norm3.weight', 'unknown weight "norm3.weight"');
      refuse({ 'self_atn.in_proj_bias': flat }, 'self_atn.in_proj_bias', 'did you mean "self_attn');
      refuse({ 'linear1.weight': null }, 'linear1.weight', 'no tensor given');
      refuse({ 'linear1.weight': wide }, 'linear1.weight', /\[9, 9\]/);
      refuse({ 'norm1.weight': flat }, 'norm1.weight', /\[8\]/);
      refuse({ 'self_attn.in_proj_weight': wide }, 'self_attn.in_proj_weight', /9/);
      refuse({ 'self_attn.out_proj.weight': wide }, 'self_attn.out_proj.weight', /9/);
      refuse({ 'self_attn.out_proj.bias': flat }, 'self_attn.out_proj.bias', /9/);
    });
  });

  it('options that are wrong', () => {
    withoutLeak(() => {
      const state = asTensors<TransformerBlockWeights>(blockWeights(1));
      const input = tril.tensor(x);
      const mask = tril.mask.dense(tril.zeros([T + 1, T]), { kind: 'additive' });
      const call = 'transformerBlock';
      const refuse = (options: object, argument: string, says: string | RegExp) => {
        const body = () => tril.transformerBlock(input, state, options as { heads: number });
        expectRefused(body, { call, argument, says });
      };
      refuse({}, 'heads', 'must be given');
      refuse({ heads: 3 }, 'self_attn.in_proj_weight', /24 rows do not divide|heads/);
      refuse({ heads: H, norm: 'both' }, 'norm', 'unknown norm "both"; there are post, pre');
      refuse({ heads: H, activation: 'tanh' }, 'activation', 'unknown activation "tanh"');
      refuse({ heads: H, eps: NaN }, 'eps', /must be/);
      refuse({ heads: H, mask }, 'mask', /\[1, 1, 6, 5\]/);
      refuse({ heads: H, scale: NaN }, 'scale', /finite/);
      refuse({ heads: H, past: 1 }, 'past', 'must be a cache');
      refuse({ heads: H, cache: 1 }, 'cache', 'unknown option');
    });
  });

  it('masks of the whole by the names that they are given by', () => {
    withoutLeak(() => {
      const weights = asTensors<TransformerWeights>({
        ...prefixed('encoder.layers.0.', blockWeights(1)),
        ...prefixed('decoder.layers.0.', decoderWeights(2)),
        ...normWeights(['encoder.norm', 'decoder.norm'], 3),
      });
      const [source, target] = [tril.tensor(memory), tril.tensor(x)];
      const mask = tril.mask.dense(tril.zeros([T + 1, S + 1]), { kind: 'boolean' });
      for (const argument of ['sourceMask', 'targetMask', 'memoryMask']) {
        const body = () =>
          tril.transformer(source, target, weights, { heads: H, [argument]: mask });
        expectRefused(body, { call: 'transformer', argument, says: 'broadcast' });
      }
    });
  });

  it('a memory or stacks that do not fit', () => {
    withoutLeak(() => {
      const state = asTensors<DecoderBlockWeights>(decoderWeights(1));
      const [input, batch] = [tril.tensor(x), tril.zeros([1, S, C])];
      const mask = tril.mask.dense(tril.zeros([T, S + 1]), { kind: 'boolean' });
      const kept = tril.tensor(memory);
      const decode = (from: Tensor, options: object = {}) =>
        tril.decoderBlock(input, from, state, { heads: H, ...options });
      const call = 'decoderBlock';
      expectRefused(() => decode(batch), { call, argument: 'memory', says: 'this is [1, 4, 8]' });
      const refusal = { call, argument: 'memoryMask', says: /\[1, 1, 5, 5\]/ };
      expectRefused(() => decode(kept, { memoryMask: mask }), refusal);

      const one = tril.zeros([C]);
      const stack = (weights: TransformerWeights) => () =>
        tril.transformer(kept, input, weights, { heads: H });
      expectRefused(stack({ 'encoder.layers.0.linear1.wieght': one }), {
        call: 'transformer',
        argument: 'encoder.layers.0.linear1.wieght',
        says: 'did you mean "linear1.weight"?',
      });
      expectRefused(stack({ 'decoder.norm.scale': one }), {
        call: 'transformer',
        argument: 'decoder.norm.scale',
        says: 'unknown weight',
      });
      expectRefused(stack({}), { call: 'transformer', argument: 'encoder.layers', says: /layer/ });
      expectRefused(stack({ 'encoder.layers.1.linear1.weight': one }), {
        call: 'transformer',
        argument: 'encoder.layers.0',
        says: 'is left out, but there is layer 1',
      });
    });
  });
});

it('gives the same in all variants, within rounding', async () => {
  const weights = blockWeights(100);
  const expected = block(x, weights, 'post', true)['output']!.flat();
  for (const variant of variants) {
    const module = await loadTril({ variant });
    module.scope(() => {
      const state = asTensors<TransformerBlockWeights>(weights, module);
      const { output } = module.transformerBlock(module.tensor(x), state, {
        ...{ heads: H, causal: true },
      });
      expectClose(output.read(), expected, tolerance);
    });
    expect(module.memory().tensors).toBe(0);
  }
});
