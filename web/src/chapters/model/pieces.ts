// Tokens as they are shown: blanks and ends of lines are to be seen.
const signs: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '↵' };

export const pieceText = (text: string): string =>
  text === '' ? '∅' : text.replace(/[ \n\t\r]/gu, (blank) => signs[blank]);
