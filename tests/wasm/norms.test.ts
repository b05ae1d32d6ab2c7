import type { Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose, randomNumbers } from './reference.js';

/** Layer normalisation of one row by its definition. */
function normalised(row: number[], eps: number): number[] {
  const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
  const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
  return row.map((x) => (x - mean) / Math.sqrt(variance + eps));
}

describe('layerNorm and rmsNorm', () => {
  it('give what PyTorch gives in float64', () => {
    withoutLeak(() => {
      const random = new Random(22);
      for (const cols of [1, 3, 64, 129]) {
        for (const scaled of [false, true]) {
          const x = tril.tensor([5, cols], random.uniform(5 * cols));
          const weight = tril.tensor([cols], random.uniform(cols));
          const bias = tril.tensor([cols], random.uniform(cols));
          const name = `${cols}${scaled ? '_scaled' : ''}`;
          const options = scaled ? { weight, eps: 1e-3 } : {};
          const layer = tril.layerNorm(x, scaled ? { ...options, bias } : {});
          expectGolden(layer, `layers/layer_norm_${name}`);
          expectGolden(tril.rmsNorm(x, options), `layers/rms_norm_${name}`);
        }
      }
    });
  });

  it('normalise several axes at the end together', () => {
    withoutLeak(() => {
      const values = randomNumbers(2 * 3 * 4, 1);
      const weights = randomNumbers(12, 2);
      const x = tril.tensor([2, 3, 4], values);
      const weight = tril.tensor([3, 4], weights);
      const rows = [values.slice(0, 12), values.slice(12)];
      const expected = rows.flatMap((row) => normalised(row, 1e-5).map((y, i) => y * weights[i]!));
      const got = tril.layerNorm(x, { axes: 2, weight });
      expect(got.shape).toEqual([2, 3, 4]);
      expectClose(got.read(), expected, 32 * epsilon);
      expectClose(tril.layerNorm(x, { axes: 3 }).read(), normalised(values, 1e-5), 32 * epsilon);
    });
  });

  it('can overwrite their argument, and take null for what is not there', () => {
    withoutLeak(() => {
      const x = tril.tensor([1, 3]);
      expect(tril.layerNorm(x, { out: x, weight: null, bias: null, eps: 0 })).toBe(x);
      expect([...x.read()]).toEqual([-1, 1]);
      const y = tril.tensor([3, 4]);
      const root = Math.sqrt(12.5);
      expectClose(tril.rmsNorm(y, { eps: 0 }).read(), [3 / root, 4 / root], 4 * epsilon);
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 3]);
      const wide = tril.zeros([4]);
      const out = tril.tensor([3, 2], [1, 2, 3, 4, 5, 6]);
      const calls: [string, (options: object) => Tensor][] = [
        ['layerNorm', (options) => tril.layerNorm(x, options)],
        ['rmsNorm', (options) => tril.rmsNorm(x, options)],
      ];
      for (const [call, run] of calls) {
        const refuse = (options: object, argument: string, says: string | RegExp) =>
          expectRefused(() => run(options), { call, argument, says, out });
        refuse({ weight: wide }, 'weight', 'x is [2, 3], this is [4]');
        refuse({ axes: 0 }, 'axes', 'at least 1');
        refuse({ axes: 3 }, 'axes', 'must be from 1 to the 2 that x has, is 3');
        refuse({ eps: NaN }, 'eps', /must be/);
        refuse({ eps: -1 }, 'eps', /must be/);
        refuse({ out }, 'out', 'shape must be [2, 3], is [3, 2]');
        refuse({ epsilon: 1 }, 'epsilon', 'unknown option');
      }
      const bias = { call: 'layerNorm', argument: 'bias', says: 'this is [4]' };
      expectRefused(() => tril.layerNorm(x, { bias: wide }), bias);
      const options = { bias: wide } as object;
      const unknown = { call: 'rmsNorm', argument: 'bias', says: 'unknown option "bias"' };
      expectRefused(() => tril.rmsNorm(x, options), unknown);
    });
  });
});
