// What a visitor can type, in programs: one function for each place that a language has for it. No text ends the line or the
// literal that it stands in, or says anything to who reads the program but itself.

/** Control characters, line ends of any kind, halves of letters, and what turns the direction of writing. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const inOneLine = (text: string) => text.replace(unseen, ' ').trim();

/** Python takes "coding: ..." in a comment of its first two lines for the file's encoding. */
export const pythonComment = (text: string): string =>
  `# ${inOneLine(text).replace(/coding(?=[:=])/gu, 'coding ')}`;

/** A backslash at the end, which "??/" once was too, would join the next line to the comment. */
export const cppComment = (text: string): string =>
  `// ${inOneLine(text).replace(/(?:\\|\?\?\/)$/u, '$& .')}`;

type Literal = string | readonly Literal[];

/** A text, or lists of texts. What is not to be seen is written by its number. */
export const pythonLiteral = (value: Literal): string =>
  JSON.stringify(value).replace(unseen, (found) =>
    Array.from({ length: found.length }, (_, i) => found.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
