import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';
import { epsilon, expectClose, randomMatrix, softmax } from './reference.js';

describe('concentration', () => {
  it('is the entropy and the largest weight of every row', () => {
    withoutLeak(() => {
      const rows = [
        [1, 0, 0, 0],
        [0.25, 0.25, 0.25, 0.25],
      ];
      const { entropy, largest } = tril.concentration(tril.tensor([2, 1, 4], rows.flat()));
      expect(entropy.shape).toEqual([2, 1]);
      expectClose(entropy.read(), [0, Math.log(4)], epsilon);
      expect([...largest.read()]).toEqual([1, 0.25]);
      expect(tril.concentration(tril.tensor([0.5, 0.5])).entropy.shape).toEqual([1]);
    });
  });
});

describe('softmaxSteps', () => {
  it('shows what softmax does, in both forms', () => {
    withoutLeak(() => {
      const rows = randomMatrix(3, 5, 1);
      for (const stable of [true, false]) {
        const { output, shift, powers, sum } = tril.softmaxSteps(tril.tensor(rows), { stable });
        rows.forEach((row, n) => {
          const largest = Math.fround(Math.max(...row));
          expect(shift.read()[n]).toBe(stable ? largest : 0);
          const of = row.map((x) => Math.exp(Math.fround(x) - (stable ? largest : 0)));
          expectClose(powers.toArray<number[][]>()[n]!, of, 4 * epsilon);
          expectClose([sum.read()[n]!], [of.reduce((a, b) => a + b)], 32 * epsilon);
        });
        expectClose(
          output.read(),
          rows.flatMap((row) => softmax(row)),
          16 * epsilon,
        );
      }
    });
  });

  it('overflows as the formula is written, and not as it must be computed', () => {
    withoutLeak(() => {
      const x = tril.tensor([100, 0]);
      const plain = tril.softmaxSteps(x, { stable: false });
      expect([...plain.powers.read()]).toEqual([Infinity, 1]);
      expect([...plain.sum.read()]).toEqual([Infinity]);
      expect([...plain.output.read()]).toEqual([NaN, 0]);
      const stable = tril.softmaxSteps(x);
      expect(stable.output.read()[0]).toBe(1);
      expect(stable.shift.read()[0]).toBe(100);
    });
  });

  it('refuses what is no tensor, and other options', () => {
    const call = 'softmaxSteps';
    expectRefused(() => tril.softmaxSteps([1] as never), { call, argument: 'x', says: 'a tensor' });
    withoutLeak(() => {
      const x = tril.zeros([2]);
      const stable = 1 as unknown as boolean;
      expectRefused(() => tril.softmaxSteps(x, { stable }), {
        ...{ call, argument: 'stable', says: 'true or false' },
      });
    });
  });
});
