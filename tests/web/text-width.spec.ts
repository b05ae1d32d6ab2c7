// The estimated widths of texts, for a page that is built without a browser to measure them.
import { expect, test } from './fixtures.ts';
import { widest, widthOf } from '../../web/src/figures/segments.ts';
import { emOf } from '../../web/src/figures/sentence.ts';

test('letters of most scripts count alike, or by their shapes', () => {
  expect(widthOf('', 7)).toBe(0);
  for (const word of ['will', 'momo', 'ABCD', 'αβγδ', 'миру', 'שלום', '12.5'])
    expect(widthOf(word, 7)).toBe(28);
  const [narrow, most, capital, broad] = ['l', 'a', 'A', 'M'].map((each) => widthOf(each, 7, true));
  expect([narrow < most, most < capital, capital < broad]).toEqual([true, true, true]);
  expect(most).toBe(7);
  // The width that large sentences have always had.
  expect(emOf('animal')).toBeCloseTo(3 * 0.5 + 2 * 0.3 + 0.78 + 0.36, 12);
});

test('characters of Chinese, Japanese and Korean fill a square, and emoji do', () => {
  for (const text of ['注意', 'アテ', 'かな', '주의', '！（', '🙂🐈']) {
    expect(widthOf(text, 7), text).toBe(24.5);
    expect(widthOf(text, 0.5, true), text).toBeCloseTo(2.04, 12);
  }
});

test('what is joined is narrower, and marks have no width', () => {
  const [arabic, latin] = ['انتباه', 'animal'].map((each) => widthOf(each, 7));
  expect(arabic).toBeLessThan(latin);
  expect(arabic).toBeGreaterThan(0.7 * latin);
  expect(widthOf('e\u0301te\u0301', 7)).toBe(widthOf('été', 7));
  expect(widthOf('كِتَاب', 7)).toBe(widthOf('كتاب', 7));
  expect(widthOf('👩‍👩‍👧', 7)).toBe(widthOf('🙂', 7));
});

test('the widest of texts is not the longest', () => {
  expect(widest([], 7)).toBe(0);
  expect(widest(['abc', '注意力', 'abcd'], 10)).toBe(52.5);
});
