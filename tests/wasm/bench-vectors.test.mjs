// The measurements of wasm/bench/vectors.mjs.
import { expect, test } from 'vitest';
import { madeUpText, measureVectors } from '../../wasm/bench/vectors.mjs';

test('word vectors are measured on a text of words as frequent as their rank says', async () => {
  const words = madeUpText(20_000).split(' ');
  expect(words).toHaveLength(20_000);
  expect(words).toEqual(madeUpText(20_000).split(' '));
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [first, second] = [...counts.values()].sort((a, b) => b - a);
  // The first rank has a share of log 2 / log 20 000.
  expect(first / words.length).toBeGreaterThan(0.05);
  expect(first).toBeGreaterThan(second);
  const rates = await measureVectors('simd', 3, 1, 30_000);
  expect(rates).toHaveLength(3);
  for (const rate of rates) expect(rate).toBeGreaterThan(0);
});
