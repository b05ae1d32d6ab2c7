// What a word is, and what a reader calls a character, in any script (Unicode Standard Annex 29).

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
