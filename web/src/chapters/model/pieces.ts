// Tokens as they are shown. Most begin a word, and their blank goes without saying; one that goes on a word has a mark, and
// one of nothing but blanks or ends of lines is to be seen.
const signs: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '↵' };
const signed = (text: string) => text.replace(/[ \n\t\r]/gu, (blank) => signs[blank]);

/** Before what goes on a word. */
export const joint = '·';
const begins = /^[\p{L}\p{M}\p{N}]/u;
const ends = /[\p{L}\p{M}\p{N}]$/u;
/** Their words have no blanks between them. */
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** It goes on the word that ends before it; `before` is the token there, empty at the start of a text, if it is known. */
export const goesOn = (text: string, before?: string): boolean =>
  begins.test(text) && !unspaced.test(text) && (before === undefined || ends.test(before));

/** Without the blank that begins a word. */
export function bareText(text: string): string {
  if (text === '') return '∅';
  return signed(/^ [^ \n\t\r]/u.test(text) ? text.slice(1) : text);
}

export const pieceText = (text: string, before?: string): string =>
  (goesOn(text, before) ? joint : '') + bareText(text);

/** Within a sentence, between quotation marks. */
export const inWords = (text: string): string => text.trim() || bareText(text);
