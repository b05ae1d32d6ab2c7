// Tokens as they are shown. Most begin a word, and their leading space is omitted; a token that continues a word has a
// mark, and a token of spaces or line ends only is made visible.
const signs: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '↵' };
const signed = (text: string) => text.replace(/[ \n\t\r]/gu, (blank) => signs[blank]);

/** The mark before a token that continues a word. */
export const joint = '·';
const begins = /^[\p{L}\p{M}\p{N}]/u;
const ends = /[\p{L}\p{M}\p{N}]$/u;
/** Scripts without spaces between words. */
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/**
 * Whether a token continues the word before it; `before` is the token there if it is known, empty at the start of a
 * text.
 */
export const goesOn = (text: string, before?: string): boolean =>
  begins.test(text) && !unspaced.test(text) && (before === undefined || ends.test(before));

/** The text of a token without the space that begins a word. */
export function bareText(text: string): string {
  if (text === '') return '∅';
  return signed(/^ [^ \n\t\r]/u.test(text) ? text.slice(1) : text);
}

export const pieceText = (text: string, before?: string): string =>
  (goesOn(text, before) ? joint : '') + bareText(text);

/** The text of a token within a sentence, between quotation marks. */
export const inWords = (text: string): string => text.trim() || bareText(text);
