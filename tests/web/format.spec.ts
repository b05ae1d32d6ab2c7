// Numbers as sentences say them.
import { inPercent } from '../../web/src/figures/format.ts';
import { expect, test } from './fixtures.ts';

test('a share is said in percent, and what is left out of all is not lost', () => {
  const said = [0, 0.0003, 0.004, 0.01, 0.29, 0.49, 0.5, 0.985, 0.993, 0.9999, 1, NaN].map(
    inPercent,
  );
  const written = ['0', '≈ 0', '0.4', '1', '29', '49', '50', '99', '99.3', '≈ 100', '100'];
  expect(said).toEqual([...written.map((number) => `${number}\u00a0%`), 'NaN']);
});
