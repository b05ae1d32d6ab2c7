// Text as rows of cells: quotes, comments and separators, as NumPy, R, pandas and spreadsheets write
// them (RFC 4180). Every pass takes linear time, whatever the text.
import { TrilError } from './error.js';

export interface Row {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether each cell is in quotes. */
  readonly quoted: readonly boolean[];
}

/** ' ' stands for a run of spaces and tabs. */
export type Separator = ',' | ';' | '\t' | ' ';

export function refuse(problem: string): never {
  throw new TrilError('readArrays', 'file', problem);
}

/** A line that begins with an error value of spreadsheets is a row, not a comment. */
const comment = /^#(?!(?:n\/a|na\b|div\/0!|num!|value!|ref!|name\?|null!))/i;
/** A comment after a row: `1 2 # like this`. */
const remark = /[ \t]#(?:[ \t]|$)/;
const isSpace = (char: string | undefined) => char === ' ' || char === '\t';
const isEnd = (char: string | undefined) => char === undefined || char === '\n' || char === '\r';

function withoutRemark(line: string): string {
  const at = line.search(remark);
  return at < 0 ? line : line.slice(0, at);
}

/** The cells of the row that begins at `at`, some of them in quotes, and the end of the row. */
function quotedRow(text: string, at: number, line: number, separator: Separator) {
  const cells: string[] = [];
  const quoted: boolean[] = [];
  const skipSpace = () => {
    while (text[at] === ' ' || (separator !== '\t' && text[at] === '\t')) ++at;
  };
  const bareEnd = separator === ' ' ? /[ \t\r\n]/g : new RegExp(`[${separator}\r\n]`, 'g');
  skipSpace();
  for (;;) {
    const inQuotes = text[at] === '"';
    const where = () => `line ${line}, column ${cells.length + 1}`;
    let cell = '';
    while (text[at] === '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) refuse(`${where()}: the quotes do not end`);
      cell += text.slice(cell === '' ? at + 1 : at, end);
      at = end + 1; // At another quote two of them stand for one, which the next slice begins with.
    }
    if (!inQuotes) {
      bareEnd.lastIndex = at;
      const end = bareEnd.exec(text)?.index ?? text.length;
      cell = text.slice(at, end).trim();
      at = end;
    }
    const begin = at;
    skipSpace();
    const parted = separator === ' ' ? at > begin && !isEnd(text[at]) : text[at] === separator;
    const remarked = text[at] === '#' && isSpace(text[at - 1]);
    if (!parted && !remarked && !isEnd(text[at])) {
      refuse(`${where()}: something follows the quotes`);
    }
    cells.push(cell);
    quoted.push(inQuotes);
    if (remarked) while (!isEnd(text[at])) ++at;
    if (isEnd(text[at])) return { cells, quoted, end: at };
    if (separator !== ' ') ++at;
    skipSpace();
  }
}

/** Every row of a text, without empty lines and comments, which begin with #. */
export function* rowsOf(text: string, separator: Separator, firstLine = 1): Generator<Row> {
  const lineEnd = /\r\n|\n|\r/g;
  let line = firstLine;
  for (let at = 0; at < text.length; ++line) {
    lineEnd.lastIndex = at;
    let found = lineEnd.exec(text);
    const whole = text.slice(at, found?.index ?? text.length);
    const shown = whole.trim();
    if (shown !== '' && !comment.test(shown)) {
      if (whole.includes('"')) {
        const { end, ...row } = quotedRow(text, at, line, separator);
        yield { line, ...row };
        lineEnd.lastIndex = end;
        found = lineEnd.exec(text);
        line += (text.slice(at, end).match(/\r\n|\n|\r/g) ?? []).length;
      } else {
        const rest = withoutRemark(separator === '\t' ? whole : shown);
        const cells = rest
          .split(separator === ' ' ? /[ \t]+/ : separator)
          .map((cell) => cell.trim());
        yield { line, cells, quoted: cells.map(() => false) };
      }
    }
    if (!found) return;
    at = found.index + found[0].length;
  }
}

/** The separator of the cells of a row, outside quotes; undefined for a single cell. */
function separatorIn(row: string): Separator | undefined {
  const bare = withoutRemark(row.replace(/"[^"]*"?/g, '""').trim());
  const found = (['\t', ';', ','] as const).find((each) => bare.includes(each));
  return found ?? (/\S[ \t]/.test(bare) ? ' ' : undefined);
}

/**
 * The separator of a text. It is taken from the second row, since the first may have names of
 * columns, with commas and spaces of their own.
 */
export function separatorOf(text: string): Separator {
  const lineEnd = /\r\n|\n|\r|$/g;
  let first: Separator | undefined;
  let [row, rows, inQuotes] = ['', 0, false];
  for (let at = 0; at < text.length && rows < 2;) {
    lineEnd.lastIndex = at;
    const found = lineEnd.exec(text)!;
    const line = text.slice(at, found.index).trim();
    at = found.index + Math.max(1, found[0].length);
    if (!inQuotes && (line === '' || comment.test(line))) continue;
    row += line;
    for (const char of line) if (char === '"') inQuotes = !inQuotes;
    if (inQuotes) continue;
    const separator = separatorIn(row);
    if (++rows === 2) return separator ?? ',';
    [first, row] = [separator, ''];
  }
  return first ?? ',';
}
