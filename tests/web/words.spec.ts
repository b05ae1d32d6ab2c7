// The page's splitting into words and characters, in Node alone: against the table that the core's tests read, too,
// with Intl.Segmenter and without.
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { segmentsOf, shortened, wordsOf } from '../../web/src/figures/segments.ts';

const table = readFileSync(fileURLToPath(new URL('../golden/words.txt', import.meta.url)), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [string, string]);

const Segmenter = Intl.Segmenter;
/** Runs `body` as in an engine without it. */
function withoutSegmenter(body: () => void): void {
  Object.assign(Intl, { Segmenter: undefined });
  try {
    body();
  } finally {
    Object.assign(Intl, { Segmenter });
  }
}

const isWord = (segment: string) => /[\p{L}\p{N}]/u.test(segment);
/** The form of the vectors' words. */
const plain = (word: string) => word.toLowerCase().replaceAll('’', "'");

test('words of any script keep their marks', () => {
  expect(table.length).toBeGreaterThan(20);
  for (const [text, words] of table) {
    const expected = words.split(' ');
    expect(wordsOf(text).map(plain), text).toEqual(expected);
    const cut = () => segmentsOf(text, 'word').filter(isWord).map(plain);
    expect(cut(), text).toEqual(expected);
    withoutSegmenter(() => expect(cut(), text).toEqual(expected));
  }
});

test('nothing of a text is lost', () => {
  for (const text of [...table.map(([text]) => text), 'a\r\n b, c_d 3.5!', '\u0301', '']) {
    const whole = () => segmentsOf(text, 'word').join('') + segmentsOf(text, 'grapheme').join('');
    expect(whole()).toBe(text + text);
    withoutSegmenter(() => expect(whole()).toBe(text + text));
  }
});

test('characters are what a reader takes for one', () => {
  const characters = [
    ...['e\u0301', 'नि', 'ष्', 'தி', 'שָׁ', '\r\n', '🇩🇪', '🇫🇷', '👍🏽', '❤️', '1️⃣'],
    ...['👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'x', '\u{1d49c}'],
  ];
  const cut = () => segmentsOf(characters.join(' '), 'grapheme').filter((each) => each !== ' ');
  expect(cut()).toEqual(characters);
  withoutSegmenter(() => expect(cut()).toEqual(characters));
});

test('names are shortened between characters', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('abcdefg', 6)).toBe('abcde…');
  expect(shortened('🇩🇪🇫🇷🇮🇹', 3)).toBe('🇩🇪🇫🇷🇮🇹');
  expect(shortened('🇩🇪🇫🇷🇮🇹🇪🇸', 3)).toBe('🇩🇪🇫🇷…');
  expect(shortened('e\u0301'.repeat(4), 3)).toBe(`${'e\u0301'.repeat(2)}…`);
});
