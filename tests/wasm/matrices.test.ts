import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { randomMatrix } from './reference.js';

describe('triangular', () => {
  it('keeps one side of every diagonal of every matrix', () => {
    withoutLeak(() => {
      const x = randomMatrix(2 * 3, 4, 1);
      const tensor = tril.tensor([2, 3, 4], x.flat());
      for (const part of ['lower', 'upper'] as const) {
        for (let diagonal = -4; diagonal <= 4; ++diagonal) {
          const keeps = (i: number, j: number) =>
            part === 'lower' ? j <= i + diagonal : j >= i + diagonal;
          const expected = x.flatMap((row, r) => row.map((y, j) => (keeps(r % 3, j) ? y : 0)));
          const got = tril.triangular(tensor, { part, diagonal });
          expect(got.shape).toEqual([2, 3, 4]);
          expect([...got.read()]).toEqual(expected);
        }
      }
    });
  });

  it('is the lower triangle of the main diagonal unless said otherwise, and can overwrite', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [1, NaN],
        [3, 4],
      ]);
      expect(tril.triangular(x, { out: x })).toBe(x);
      expect(x.toArray()).toEqual([
        [1, 0],
        [3, 4],
      ]);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const [x, row] = [tril.zeros([2, 2]), tril.zeros([2])];
      const call = 'triangular';
      const refuse = (options: object, argument: string, says: string, given = x) =>
        expectRefused(() => tril.triangular(given, options), { call, argument, says });
      refuse({}, 'x', 'must have at least two axes; shape is [2]', row);
      refuse({ part: 'left' }, 'part', 'unknown part "left"; there are lower, upper');
      refuse({ diagonal: 0.5 }, 'diagonal', 'whole number');
      refuse({ out: row }, 'out', 'shape must be [2, 2], is [2]');
      refuse({ k: 1 }, 'k', 'unknown option');
    });
  });
});
