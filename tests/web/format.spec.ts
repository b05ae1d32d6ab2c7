// Numbers in the format of sentences.
import { inPercent, inPercents } from '../../web/src/figures/format.ts';
import { expect, test } from './fixtures.ts';

test('a share is said in percent, and what is left out of all is not lost', () => {
  const said = [0, 0.0003, 0.004, 0.01, 0.29, 0.49, 0.5, 0.985, 0.993, 0.9999, 1, NaN].map(
    inPercent,
  );
  const written = ['0', '≈ 0', '0.4', '1', '29', '49', '50', '99', '99.3', '≈ 100', '100'];
  expect(said).toEqual([...written.map((number) => `${number}\u00a0%`), 'NaN']);
});

test('shares of a whole are said so that they add up to it', () => {
  const said = (shares: readonly number[]) => inPercents(shares).map((each) => each.slice(0, -2));
  expect(said([0.27, 0.18, 0.37, 0.09, 0.09])).toEqual(['27', '18', '37', '9', '9']);
  expect(said([3, 2, 1, 1, 1].map((count) => count / 8))).toEqual([
    '37.5',
    '25.0',
    '12.5',
    '12.5',
    '12.5',
  ]);
  expect(said([1 / 3, 1 / 3, 1 / 3])).toEqual(['33.4', '33.3', '33.3']);
  for (let n = 1; n < 60; ++n) {
    const powers = Array.from({ length: 8 }, (_, i) => Math.exp(Math.sin(n * (i + 1))));
    const all = powers.reduce((a, b) => a + b);
    const numbers = said(powers.map((power) => Math.fround(power / all))).map(Number);
    expect(numbers.reduce((a, b) => a + b)).toBeCloseTo(100, 6);
  }
  expect(inPercents([NaN, 1])).toEqual(['NaN', '100\u00a0%']);
});
