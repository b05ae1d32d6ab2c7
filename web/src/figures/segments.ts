// What a word is, and what a reader calls a character, in any script (Unicode Standard Annex 29); how wide texts are.

/** A letter or a number, with its marks and with what parts and joins letters of Persian and of India's scripts. */
const letter = String.raw`[\p{L}\p{N}][\p{M}\u200c\u200d]*`;
const word = String.raw`(?:${letter})+(?:['’](?:${letter})+)*`;
/** A character with all that belongs to it: marks, the tone of a skin, what is joined to it; two letters of a flag. */
const cluster = String.raw`\r\n|\p{RI}{2}|[^](?:\u200d\p{ExtPict}?|[\p{M}\p{EMod}\u200c\u{e0020}-\u{e007f}])*`;

/** As word vectors have words, core/tril/text/word_corpus.h. */
export const wordsOf = (text: string): string[] => text.match(new RegExp(word, 'gu')) ?? [];

/**
 * All of a text, cut into words and what is between them, or into characters. By the rules of one
 * language, so that a page that is made in Node and every browser cut alike; an engine without
 * Intl.Segmenter does not know the words of scripts that write no space.
 */
export function segmentsOf(text: string, granularity: 'word' | 'grapheme'): string[] {
  if (typeof Intl.Segmenter === 'function') {
    const segmenter = new Intl.Segmenter('en', { granularity });
    return Array.from(segmenter.segment(text), ({ segment }) => segment);
  }
  return (
    text.match(new RegExp(granularity === 'word' ? `${word}|${cluster}` : cluster, 'gu')) ?? []
  );
}

/** At most so many characters of a text, with a sign where some are left out. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = segmentsOf(text, 'grapheme');
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

/** Characters that fill a square. */
const full = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{ExtPict}\u3000-\u30ff\uff01-\uff60]/u;
/** The widths of characters beside that of most letters: as scripts differ, and as the shapes of letters do. */
const widths = [
  [full, 1.75, 2.04],
  [/^[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}]/u, 0.85, 0.9], // whose letters are joined
  [/^[\p{M}\p{Cf}]/u, 0, 0],
  [/^[iljtfrI.,:;'’!|()]/u, 1, 0.6],
  [/^[mwMW@]/u, 1, 1.56],
  [/^\p{Lu}/u, 1, 1.36],
] as const;

/** Pixels, estimated, since a page that is made without a browser measures nothing: `px` for most letters, or for each by its shape. */
export const widthOf = (text: string, px: number, byShape = false): number =>
  px *
  segmentsOf(text, 'grapheme').reduce((sum, character) => {
    const [, most, own] = widths.find(([those]) => those.test(character)) ?? ['', 1, 1];
    return sum + (byShape ? own : most);
  }, 0);

/** That of the widest of some. */
export const widest = (texts: readonly string[], px: number): number =>
  Math.max(0, ...texts.map((text) => widthOf(text, px)));
