// Quotes a visitor's text in programs: one function for each place that a language has for it. No text ends its line or
// literal, or looks to a reader like anything but text.

/** Control characters, line ends of any kind, lone surrogates, and characters that change the writing direction. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const inOneLine = (text: string) => text.replace(unseen, ' ').trim();

/** Python takes "coding: ..." in a comment of its first two lines for the file's encoding. */
export const pythonComment = (text: string): string =>
  `# ${inOneLine(text).replace(/coding(?=[:=])/gu, 'coding ')}`;

/** A backslash at the end, for which "??/" was once a trigraph, would join the next line to the comment. */
export const cppComment = (text: string): string =>
  `// ${inOneLine(text).replace(/(?:\\|\?\?\/)$/u, '$& .')}`;

type Literal = string | readonly Literal[];

/** A text, or lists of texts. Invisible characters are escaped by their code. */
export const pythonLiteral = (value: Literal): string =>
  JSON.stringify(value).replace(unseen, (found) =>
    Array.from({ length: found.length }, (_, i) => found.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
