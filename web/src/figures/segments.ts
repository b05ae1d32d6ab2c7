// Words and user-perceived characters in any script (Unicode Standard Annex 29), and widths of texts.

/** A letter or a number, with its marks and with the joiners of Persian and of India's scripts. */
const letter = String.raw`[\p{L}\p{N}][\p{M}\u200c\u200d]*`;
const word = String.raw`(?:${letter})+(?:['’](?:${letter})+)*`;
/** A character with all that belongs to it: marks, skin tones, joined characters; two regional letters of a flag. */
const cluster = String.raw`\r\n|\p{RI}{2}|[^](?:\u200d\p{ExtPict}?|[\p{M}\p{EMod}\u200c\u{e0020}-\u{e007f}])*`;

/** Words as word vectors define them: core/tril/text/word_corpus.h. */
export const wordsOf = (text: string): string[] => text.match(new RegExp(word, 'gu')) ?? [];

/**
 * Splits a text into words and the text between them, or into characters. The rules are those of one language, so that
 * a page prerendered in Node and every browser split alike; an engine without Intl.Segmenter does not find the words of
 * scripts without spaces.
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

/** Shortens a text to `most` characters, with an ellipsis if some are omitted. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = segmentsOf(text, 'grapheme');
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

/** Characters that fill a square. */
const full = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{ExtPict}\u3000-\u30ff\uff01-\uff60]/u;
/** Widths of characters relative to most letters: by script, and by the shape of the letter. */
const widths = [
  [full, 1.75, 2.04],
  [/^[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}]/u, 0.85, 0.9], // joined letters
  [/^[\p{M}\p{Cf}]/u, 0, 0],
  [/^[iljtfrI.,:;'’!|()]/u, 1, 0.6],
  [/^[mwMW@]/u, 1, 1.56],
  [/^\p{Lu}/u, 1, 1.36],
] as const;

/**
 * Width of a text in pixels, estimated, since a prerendered page cannot measure: `px` for most letters, or with
 * `byShape` by the shape of each.
 */
export const widthOf = (text: string, px: number, byShape = false): number =>
  px *
  segmentsOf(text, 'grapheme').reduce((sum, character) => {
    const [, most, own] = widths.find(([those]) => those.test(character)) ?? ['', 1, 1];
    return sum + (byShape ? own : most);
  }, 0);

/** Width of the widest text. */
export const widest = (texts: readonly string[], px: number): number =>
  Math.max(0, ...texts.map((text) => widthOf(text, px)));
