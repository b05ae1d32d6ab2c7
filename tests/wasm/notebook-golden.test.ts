// Programs as real Python, NumPy and PyTorch run them: values, types, shapes, printed output, and types of errors.
import { describe, expect, it } from 'vitest';
import { tril, withoutLeak } from './helpers.js';
import { isSameText, problemsOf, readGoldens } from './notebook-programs.js';

const goldens = readGoldens();

describe('programs', () => {
  it('are many', () => {
    expect(goldens.length).toBeGreaterThanOrEqual(490);
    expect(goldens.every(({ values }) => values)).toBe(true); // otherwise expected.json is older than the programs
  });

  it.each(goldens.map((golden) => [golden.name, golden] as const))('%s', (_, golden) => {
    withoutLeak(() => expect(problemsOf(tril, golden)).toEqual([]));
  });

  it('are compared by what they print', () => {
    expect(isSameText('a 0.33333334 b', 'a 0.33333333 b')).toBe(true);
    expect(isSameText('a 0.33333334 b', 'a 0.33343333 b')).toBe(false);
    expect(isSameText('a 0.33 b', 'a 0.34 b')).toBe(false);
    expect(isSameText('[1 2]', '[1  2]')).toBe(false);
  });
});
