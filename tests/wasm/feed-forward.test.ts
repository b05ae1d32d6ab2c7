import { activations, type FeedForwardWeights } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

describe('activations', () => {
  it('give what PyTorch gives in float64', () => {
    withoutLeak(() => {
      const values = new Random(11).uniform(7 * 33).map((value) => 8 * value);
      const x = tril.tensor([7, 33], values);
      expectGolden(tril.relu(x), 'layers/relu');
      expectGolden(tril.gelu(x), 'layers/gelu');
      expectGolden(tril.gelu(x, { approximate: 'none' }), 'layers/gelu');
      expectGolden(tril.gelu(x, { approximate: 'tanh' }), 'layers/gelu_tanh');
      expectGolden(tril.silu(x), 'layers/silu');
    });
  });

  it('keep the shape, can overwrite, and go to their limits', () => {
    withoutLeak(() => {
      const x = tril.tensor([1, 1, 4], [-Infinity, Infinity, NaN, 0]);
      for (const call of [tril.relu, tril.gelu, tril.silu]) {
        expect(call(x).shape).toEqual([1, 1, 4]);
        expect(call(x).toArray()).toEqual([[[0, Infinity, NaN, 0]]]);
      }
      expect(tril.relu(x, { out: x })).toBe(x);
      expect([...x.read()]).toEqual([0, Infinity, NaN, 0]);
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([2]);
      const out = tril.tensor([1, 2, 3]);
      for (const call of ['relu', 'gelu', 'silu'] as const) {
        const says = 'shape must be [2], is [3]';
        expectRefused(() => tril[call](x, { out }), { call, argument: 'out', says, out });
        const body = () => tril[call](x, { inplace: true } as object);
        expectRefused(body, { call, argument: 'inplace', says: 'unknown option' });
      }
      const body = () => tril.gelu(x, { approximate: 'tan' as 'tanh' });
      const says = 'must be "none" or "tanh", is "tan"';
      expectRefused(body, { call: 'gelu', argument: 'approximate', says });
    });
  });
});

describe('feedForward', () => {
  it('gives what PyTorch gives in float64', () => {
    withoutLeak(() => {
      const random = new Random(41);
      for (const rows of [1, 13]) {
        for (const biased of [true, false]) {
          const draw = (...shape: number[]) =>
            tril.tensor(shape, random.uniform(shape.reduce((a, b) => a * b, 1)));
          const weights = {
            'linear1.weight': draw(21, 9),
            'linear1.bias': draw(21),
            'linear2.weight': draw(9, 21),
            'linear2.bias': draw(9),
          };
          const x = draw(rows, 9);
          const plain = { ...weights, 'linear1.bias': null, 'linear2.bias': null };
          for (const activation of activations) {
            const { output, trace } = tril.feedForward(x, biased ? weights : plain, {
              ...({ activation, trace: true } as const),
            });
            const suffix = biased ? '' : '_plain';
            expectGolden(output, `layers/feed_forward_${activation}_${rows}${suffix}`);
            expect(trace.hidden.shape).toEqual([rows, 21]);
            const again = { approximate: activation === 'gelu_tanh' ? 'tanh' : 'none' } as const;
            const name = activation === 'gelu_tanh' ? 'gelu' : activation;
            const activated =
              name === 'gelu' ? tril.gelu(trace.hidden, again) : tril[name](trace.hidden);
            expect(trace.activated.read()).toEqual(activated.read());
          }
        }
      }
    });
  });

  it('takes any axes before the last, and an out', () => {
    withoutLeak(() => {
      const identity = tril.tensor([
        [1, 0],
        [0, 1],
      ]);
      const weights = { 'linear1.weight': identity, 'linear2.weight': identity };
      const x = tril.tensor([1, 2, 2], [1, -2, -3, 4]);
      const out = tril.zeros([1, 2, 2]);
      const result = tril.feedForward(x, weights, { out });
      expect(result.output).toBe(out);
      expect(result).not.toHaveProperty('trace');
      expect([...out.read()]).toEqual([1, 0, 0, 4]);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 3]);
      const good = { 'linear1.weight': tril.zeros([4, 3]), 'linear2.weight': tril.zeros([3, 4]) };
      const wide = tril.zeros([5, 5]);
      const out = tril.tensor([2, 2], [1, 2, 3, 4]);
      const refuse = (
        changed: object,
        options: object,
        argument: string,
        says: string | RegExp,
      ) => {
        const weights = { ...good, ...changed } as FeedForwardWeights;
        const body = () => tril.feedForward(x, weights, options);
        expectRefused(body, { call: 'feedForward', argument, says, out });
      };
      refuse({ 'linear1.weight': undefined }, {}, 'linear1.weight', 'no tensor given');
      refuse({ 'linear1.weight': wide }, {}, 'linear1.weight', /\[5, 5\]/);
      refuse({ 'linear2.weight': wide }, {}, 'linear2.weight', /\[5, 5\]/);
      refuse({ 'linear1.bias': wide }, {}, 'linear1.bias', 'must have one axis');
      refuse({ 'linear3.weight': wide }, {}, 'linear3.weight', 'unknown weight');
      refuse({}, { activation: 'tanh' }, 'activation', 'unknown activation "tanh"');
      refuse({}, { out }, 'out', 'shape must be [2, 3], is [2, 2]');
    });
  });
});
