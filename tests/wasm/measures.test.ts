import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

describe('compare', () => {
  it('gives norms of the difference and the worst element', () => {
    withoutLeak(() => {
      const expected = tril.tensor([
        [1, -2],
        [0, 8],
      ]);
      const actual = tril.tensor([
        [1, -5],
        [0, 12],
      ]);
      expect(tril.compare(expected, actual, { absolute: 3.5 })).toEqual({
        count: 4,
        beyond: 1,
        frobenius: 5,
        expectedNorm: Math.sqrt(69),
        relative: 5 / Math.sqrt(69),
        maxAbsolute: 4,
        maxRelative: 1.5,
        worst: { index: [1, 1], expected: 8, actual: 12, relative: 0.5 },
      });
      expect(tril.compare(expected, actual, { absolute: 3, relative: 1 / 8 }).beyond).toBe(0);
      expect(tril.compare(actual, actual)).toMatchObject({ frobenius: 0, beyond: 0 });
    });
  });

  it('takes NaN for NaN, and is infinitely far from it otherwise', () => {
    withoutLeak(() => {
      const [a, b] = [tril.tensor([1, NaN, Infinity]), tril.tensor([1, 2, Infinity])];
      expect(tril.compare(a, a).frobenius).toBe(0);
      const { frobenius, maxRelative, beyond, worst } = tril.compare(b, a, { absolute: 9 });
      expect([frobenius, maxRelative, beyond]).toEqual([Infinity, Infinity, 1]);
      expect(worst).toEqual({ index: [1], expected: 2, actual: NaN, relative: Infinity });
    });
  });

  it('refuses other shapes and bad tolerances', () => {
    withoutLeak(() => {
      const [a, b] = [tril.zeros([2, 3]), tril.zeros([3, 2])];
      const call = 'compare';
      expectRefused(() => tril.compare(a, b), {
        ...{ call, argument: 'actual', says: 'must have the shape of expected, [2, 3], is [3, 2]' },
        shapes: { expected: [2, 3], actual: [3, 2] },
      });
      for (const absolute of [-1, NaN, Infinity]) {
        const says = 'must be finite and at least 0';
        expectRefused(() => tril.compare(a, a, { absolute }), { call, argument: 'absolute', says });
      }
      expectRefused(() => tril.compare(a, a, { rel: 1 } as object), {
        ...{ call, argument: 'rel', says: 'unknown option' },
      });
    });
  });
});

describe('statistics', () => {
  it('are mean, variance and extremes', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [2, 4],
        [4, 10],
      ]);
      expect(tril.statistics(x)).toEqual({ mean: 5, variance: 9, smallest: 2, largest: 10 });
    });
  });

  it('show what the scale 1 / sqrt(d) is for', () => {
    withoutLeak(() => {
      for (const d of [4, 64, 256]) {
        const q = tril.randomNormal([64, d], { seed: 1 });
        const k = tril.randomNormal([64, d], { seed: 2 });
        const scores = tril.matmul(q, k, { transposeB: true });
        // The variance of a sum of d products of normal numbers is d. The sample variance of n^2 such sums, of n
        // queries and n keys, has a relative deviation of the root of 2 (n + d + 1) / (n^2 d) + 2 / (n d) (the variance
        // of a trace of two Wishart matrices). The limit is five deviations.
        const n = 64;
        const deviation = Math.sqrt((2 * (n + d + 1)) / (n ** 2 * d) + 2 / (n * d));
        const off = Math.abs(tril.statistics(scores).variance / d - 1);
        expect(off).toBeLessThan(5 * deviation);
      }
    });
  });
});

describe('growth', () => {
  it('is the power that numbers grow with', () => {
    withoutLeak(() => {
      const sizes = tril.tensor([16, 32, 64, 128]);
      const times = tril.tensor([16, 32, 64, 128].map((n) => 3 * n ** 3));
      expect(tril.growth(sizes, times)).toBeCloseTo(3, 12);
      // Computed by hand: log2 x = 0, 1, 2 and log2 y = 0, 0, 3 have the slope 3 / 2.
      expect(tril.growth(tril.tensor([1, 2, 4]), tril.tensor([1, 1, 8]))).toBeCloseTo(1.5, 12);
    });
  });

  it('refuses what has none', () => {
    withoutLeak(() => {
      const [x, one, zero] = [
        [1, 2],
        [3, 3],
        [0, 1],
      ].map((row) => tril.tensor(row));
      const call = 'growth';
      const says = 'must have two different elements';
      expectRefused(() => tril.growth(one!, x!), { call, argument: 'x', says });
      expectRefused(() => tril.growth(x!, zero!), { call, argument: 'y', says: 'above 0, is 0' });
      const three = tril.zeros([3]);
      expectRefused(() => tril.growth(x!, three), {
        ...{ call, argument: 'y', says: 'shape must be [2], is [3]' },
      });
    });
  });
});
