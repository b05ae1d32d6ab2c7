// The backward pass of blocks, against central differences of their definitions in double precision.
import type { DecoderBlockWeights, FeedForwardWeights, MultiHeadWeights, Tensor } from 'tril';
import type { AdditiveWeights, TransformerBlockWeights, TransformerWeights } from 'tril';
import { describe, expect, it } from 'vitest';
import {
  asTensors as tensorsOf,
  block,
  blockWeights,
  C,
  decoderBlock,
  decoderWeights,
} from './block-reference.js';
import {
  feedForward,
  H,
  norm,
  normWeights,
  prefixed,
  S,
  T,
  type Plain,
} from './block-reference.js';
import { gradient, rows } from './differences.js';
import {
  epsilon,
  expectClose,
  matmul,
  multiHead,
  randomMatrix,
  randomNumbers,
} from './reference.js';
import { softmax, transpose, type Matrix } from './reference.js';
import { expectRefused, tril, withoutLeak } from './trained.js';

const asTensors = <Weights>(weights: Plain) => tensorsOf<Weights>(weights, tril);

const [x, memory] = [randomMatrix(T, C, 1), randomMatrix(S, C, 2)];
const d = randomMatrix(T, C, 3);

/**
 * The error, relative to the gradient's largest number: several sums of up to F products in a row, each in the forward
 * and in the backward pass, with divisions by norms between them. It is twice the tolerance of the forward test.
 */
const allowed = 2 * 512 * epsilon;

/** Expects `found` to be the derivative of f by `of`, from central differences. */
function expectSlope(
  found: Tensor | undefined,
  of: Matrix | number[],
  f: (moved: Matrix | number[]) => Matrix,
  weights: Matrix = d,
  depth = 1,
): void {
  const matrix = Array.isArray(of[0]);
  const width = matrix ? (of as Matrix)[0]!.length : of.length;
  const back = (numbers: readonly number[]) => (matrix ? rows(numbers, width) : [...numbers]);
  const expected = gradient(
    (values) => f(back(values)).flat(),
    (of as Matrix).flat(),
    weights.flat(),
  );
  const largest = Math.max(...expected.map(Math.abs));
  expect(found!.shape).toEqual(matrix ? [of.length, width] : [width]);
  expectClose(found!.read(), expected, depth * allowed * Math.max(largest, 1));
}

/** Checks the gradient of every weight; f is called with one changed weight at a time. */
function expectSlopes(
  dWeights: Record<string, Tensor>,
  weights: Plain,
  f: (moved: Plain) => Matrix,
  depth = 1,
): void {
  expect(Object.keys(dWeights).sort()).toEqual(Object.keys(weights).sort());
  for (const [name, values] of Object.entries(weights)) {
    expectSlope(dWeights[name], values, (moved) => f({ ...weights, [name]: moved }), d, depth);
  }
}

describe('the backward pass', () => {
  it('through feed-forward', () => {
    withoutLeak(() => {
      const all = blockWeights(100);
      const weights = Object.fromEntries(
        Object.entries(all).filter(([name]) => name.startsWith('linear')),
      );
      const { dX, dWeights } = tril.feedForwardBackward(
        tril.tensor(d),
        tril.tensor(x),
        asTensors<FeedForwardWeights>(weights),
      );
      expectSlope(dX, x, (moved) => feedForward(moved as Matrix, weights).output);
      expectSlopes(dWeights as never, weights, (moved) => feedForward(x, moved).output);
      for (const activation of ['gelu', 'gelu_tanh', 'silu'] as const) {
        const state = asTensors<FeedForwardWeights>(weights);
        const from = tril.tensor(x);
        const found = tril.feedForwardBackward(tril.tensor(d), from, state, { activation });
        const hidden = tril.linear(from, state['linear1.weight'], state['linear1.bias']!);
        const inner = tril.matmul(tril.tensor(d), state['linear2.weight']);
        const slope =
          activation === 'silu'
            ? tril.siluBackward(inner, hidden)
            : tril.geluBackward(inner, hidden, {
                approximate: activation === 'gelu' ? 'none' : 'tanh',
              });
        expect(tril.linearBackward(slope, from, state['linear1.weight']).dX.read()).toEqual(
          found.dX.read(),
        );
      }
    });
  });

  it('through multi-head attention, to itself and to contexts', () => {
    withoutLeak(() => {
      const { in_proj_weight, in_proj_bias, ...out } = Object.fromEntries(
        Object.entries(blockWeights(100))
          .filter(([name]) => name.startsWith('self_attn.'))
          .map(([name, value]) => [name.slice('self_attn.'.length), value]),
      );
      const weights = { in_proj_weight: in_proj_weight!, in_proj_bias: in_proj_bias!, ...out };
      const of = (input: Matrix, context: Matrix, plain: Plain, causal: boolean) =>
        multiHead(input, context, plain as never, H, causal).output;
      const state = asTensors<MultiHeadWeights>(weights);
      const [dOutput, input, context] = [tril.tensor(d), tril.tensor(x), tril.tensor(memory)];
      const own = tril.multiHeadAttentionBackward(dOutput, input, state, {
        heads: H,
        causal: true,
      });
      expect(Object.keys(own).sort()).toEqual(['dWeights', 'dX']);
      expectSlope(own.dX, x, (moved) => of(moved as Matrix, moved as Matrix, weights, true));
      expectSlopes(own.dWeights as never, weights, (moved) => of(x, x, moved, true));
      const cross = tril.multiHeadAttentionBackward(dOutput, input, state, { heads: H, context });
      expectSlope(cross.dX, x, (moved) => of(moved as Matrix, memory, weights, false));
      expectSlope(cross.dContext, memory, (moved) => of(x, moved as Matrix, weights, false));
      expectSlopes(cross.dWeights as never, weights, (moved) => of(x, memory, moved, false));
    });
  });

  it.each(['post', 'pre'] as const)('through blocks with norm: %s', (norm) => {
    withoutLeak(() => {
      const weights = blockWeights(100);
      const of = (input: Matrix, plain: Plain) => block(input, plain, norm, true)['output']!;
      const options = { heads: H, norm, causal: true } as const;
      const [dOutput, input] = [tril.tensor([1, T, C], d.flat()), tril.tensor([1, T, C], x.flat())];
      const state = asTensors<TransformerBlockWeights>(weights);
      const found = tril.transformerBlockBackward(dOutput, input, state, options);
      expect(found.dX.shape).toEqual([1, T, C]);
      const dX = tril.tensor([T, C], found.dX.read());
      expectSlope(dX, x, (moved) => of(moved as Matrix, weights));
      expectSlopes(found.dWeights as never, weights, (moved) => of(x, moved));

      const both = decoderWeights(200);
      const decode = (input: Matrix, source: Matrix, plain: Plain) =>
        decoderBlock(input, source, plain, norm);
      const decoder = tril.decoderBlockBackward(
        ...[tril.tensor(d), tril.tensor(x), tril.tensor(memory)],
        ...[asTensors<DecoderBlockWeights>(both), options],
      );
      expectSlope(decoder.dX, x, (moved) => decode(moved as Matrix, memory, both));
      expectSlope(decoder.dMemory, memory, (moved) => decode(x, moved as Matrix, both));
      expectSlopes(decoder.dWeights as never, both, (moved) => decode(x, memory, moved));
    });
  });

  it.each(['post', 'pre'] as const)('through a whole Transformer with norm: %s', (order) => {
    withoutLeak(() => {
      const weights: Plain = {
        ...prefixed('encoder.layers.0.', blockWeights(300)),
        ...prefixed('encoder.layers.1.', blockWeights(400)),
        ...prefixed('decoder.layers.0.', decoderWeights(500)),
        ...normWeights(['encoder.norm'], 700),
        ...normWeights(['decoder.norm'], 710),
      };
      const layerOf = (plain: Plain, prefix: string): Plain =>
        Object.fromEntries(
          Object.entries(plain)
            .filter(([name]) => name.startsWith(prefix))
            .map(([name, value]) => [name.slice(prefix.length), value]),
        );
      const of = (source: Matrix, target: Matrix, plain: Plain): Matrix => {
        let encoded = source;
        for (const layer of [0, 1]) {
          const own = layerOf(plain, `encoder.layers.${layer}.`);
          encoded = block(encoded, own, order, false)['output']!;
        }
        const own = layerOf(plain, 'decoder.layers.0.');
        const decoded = decoderBlock(target, norm(encoded, plain, 'encoder.norm'), own, order);
        return norm(decoded, plain, 'decoder.norm');
      };
      const options = { heads: H, norm: order, causal: true } as const;
      const [dOutput, source, target] = [tril.tensor([d]), tril.tensor([memory]), tril.tensor([x])];
      const state = asTensors<TransformerWeights>(weights);
      const found = tril.transformerBackward(dOutput, source, target, state, options);
      expect(found.dSource.shape).toEqual([1, S, C]);
      expect(found.dTarget.shape).toEqual([1, T, C]);
      const flat = (gradients: Tensor, length: number) =>
        tril.tensor([length, C], gradients.read());
      const depth = 8; // three blocks, with the tolerance of four as in the forward test
      const ofSource = (moved: Matrix | number[]) => of(moved as Matrix, x, weights);
      const ofTarget = (moved: Matrix | number[]) => of(memory, moved as Matrix, weights);
      expectSlope(flat(found.dSource, S), memory, ofSource, d, depth);
      expectSlope(flat(found.dTarget, T), x, ofTarget, d, depth);
      expectSlopes(found.dWeights as never, weights, (moved) => of(memory, x, moved), depth);
    });
  });

  it('through additive attention', () => {
    withoutLeak(() => {
      const [q, k, v] = [randomMatrix(4, 3, 1), randomMatrix(5, 2, 2), randomMatrix(5, 6, 3)];
      const plain = {
        w_q: randomMatrix(7, 3, 4),
        w_k: randomMatrix(7, 2, 5),
        v: randomNumbers(7, 6),
      };
      const dOutput = randomMatrix(4, 6, 7);
      const of = (queries: Matrix, keys: Matrix, values: Matrix, weights: typeof plain) => {
        const [a, b] = [
          matmul(queries, transpose(weights.w_q)),
          matmul(keys, transpose(weights.w_k)),
        ];
        const shares = a.map((left, t) =>
          softmax(
            b.map((right, s) =>
              s <= t + 1
                ? left.reduce((sum, z, i) => sum + weights.v[i]! * Math.tanh(z + right[i]!), 0)
                : -Infinity,
            ),
          ),
        );
        return matmul(shares, values);
      };
      const mask = tril.mask.window({ right: 1 });
      const found = tril.additiveAttentionBackward(
        ...[tril.tensor(dOutput), tril.tensor(q), tril.tensor(k), tril.tensor(v)],
        ...[asTensors<AdditiveWeights>(plain), { mask }],
      );
      const slope = (made: Tensor, values: Matrix | number[], f: (moved: never) => Matrix) =>
        expectSlope(made, values, f as (moved: Matrix | number[]) => Matrix, dOutput);
      slope(found.dQuery, q, (moved) => of(moved, k, v, plain));
      slope(found.dKey, k, (moved) => of(q, moved, v, plain));
      slope(found.dValue, v, (moved) => of(q, k, moved, plain));
      for (const name of ['w_q', 'w_k', 'v'] as const) {
        slope(found.dWeights[name], plain[name], (moved) =>
          of(q, k, v, { ...plain, [name]: moved }),
        );
      }
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const state = asTensors<TransformerBlockWeights & FeedForwardWeights>(blockWeights(1));
      const decoder = asTensors<DecoderBlockWeights>(decoderWeights(1));
      const heads = {
        in_proj_weight: state['self_attn.in_proj_weight']!,
        'out_proj.weight': state['self_attn.out_proj.weight'],
      };
      const linears = {
        'linear1.weight': state['linear1.weight'],
        'linear2.weight': state['linear2.weight'],
      };
      const [good, wrong] = [tril.zeros([T, C]), tril.zeros([T, C + 1])];
      const batch = tril.zeros([1, T, C]);
      const calls = {
        feedForwardBackward: (dOutput: Tensor, more: object) =>
          tril.feedForwardBackward(dOutput, good, linears, more),
        multiHeadAttentionBackward: (dOutput: Tensor, more: object) =>
          tril.multiHeadAttentionBackward(dOutput, good, heads, { heads: H, ...more }),
        transformerBlockBackward: (dOutput: Tensor, more: object) =>
          tril.transformerBlockBackward(dOutput, good, state, { heads: H, ...more }),
        decoderBlockBackward: (dOutput: Tensor, more: object) =>
          tril.decoderBlockBackward(dOutput, good, good, decoder, { heads: H, ...more }),
      };
      for (const [call, body] of Object.entries(calls)) {
        const refuse = (dOutput: unknown, more: object, argument: string, says: string | RegExp) =>
          expectRefused(() => body(dOutput as Tensor, more), { call, argument, says });
        refuse(wrong, {}, 'dOutput', `must have the shape of the output, [${T}, ${C}]`);
        refuse(null, {}, 'dOutput', 'must be a tensor');
        refuse(good, { trace: true }, 'trace', 'unknown option');
        if (call !== 'feedForwardBackward') refuse(good, { heads: 0 }, 'heads', 'at least 1');
        if (call !== 'multiHeadAttentionBackward') {
          refuse(good, { activation: 'tanh' }, 'activation', 'there are relu, gelu');
        }
        expect(body(good, {}).dX.shape).toEqual([T, C]);
      }
      const stacks = {
        ...(Object.fromEntries(
          Object.entries(state).map(([name, value]) => [`encoder.layers.0.${name}`, value]),
        ) as TransformerWeights),
        ...(Object.fromEntries(
          Object.entries(decoder).map(([name, value]) => [`decoder.layers.0.${name}`, value]),
        ) as TransformerWeights),
      };
      const whole = (dOutput: Tensor, source: Tensor, changed: object, more: object = {}) => {
        const weights = { ...stacks, ...changed } as TransformerWeights;
        return () =>
          tril.transformerBackward(dOutput, source, good, weights, { heads: H, ...more });
      };
      const refuseWhole = (body: () => unknown, argument: string, says: string | RegExp) =>
        expectRefused(body, { call: 'transformerBackward', argument, says });
      refuseWhole(whole(wrong, good, {}), 'dOutput', `shape of the output, [${T}, ${C}]`);
      refuseWhole(whole(good, batch, {}), 'source', 'all inputs alike');
      refuseWhole(whole(good, wrong, {}), 'encoder.layers.0.linear1.weight', /9/);
      refuseWhole(
        whole(good, good, { 'encoder.layers.0.norm3.bias': good }),
        ...(['encoder.layers.0.norm3.bias', 'unknown weight'] as const),
      );
      refuseWhole(
        whole(good, good, { 'decoder.layers.0.linear2.weight': null }),
        ...(['decoder.layers.0.linear2.weight', 'no tensor given'] as const),
      );
      refuseWhole(whole(good, good, {}, { mask: tril.mask.causal() }), 'mask', 'unknown option');
      refuseWhole(
        whole(good, good, {}, { heads: 3 }),
        'encoder.layers.0.self_attn.in_proj_weight',
        /./,
      );
      expect(whole(good, good, {})().dTarget.shape).toEqual([T, C]);
      expectRefused(() => tril.feedForwardBackward(good, wrong, linears), {
        ...{ call: 'feedForwardBackward', argument: 'linear1.weight', says: /./ },
      });
      expectRefused(() => tril.feedForwardBackward(good, good, {} as never), {
        ...{ call: 'feedForwardBackward', argument: 'linear1.weight', says: /./ },
      });
      const additive = { w_q: tril.zeros([2, C]), w_k: tril.zeros([2, C]), v: tril.zeros([2]) };
      expectRefused(() => tril.additiveAttentionBackward(wrong, good, good, good, additive), {
        ...{ call: 'additiveAttentionBackward', argument: 'dOutput', says: 'shape of the output' },
      });
      const { w_k, v } = additive;
      expectRefused(
        () => tril.additiveAttentionBackward(good, good, good, good, { w_k, v } as never),
        { call: 'additiveAttentionBackward', argument: 'w_q', says: /./ },
      );
    });
  });
});
