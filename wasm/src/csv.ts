import { refuse, rowsOf, separatorOf, type Row, type Separator } from './csv-rows.js';
import { shown } from './describe.js';
import { booleanOf, isName, numberOf } from './number-words.js';

/** Rows of numbers; `type` is 'bool' where all of them are true or false. */
export interface Table {
  readonly numbers: number[][];
  readonly type: 'float64' | 'bool';
}

/** The properties of all rows, known before their numbers are read. */
interface Layout {
  /** The names of the columns; undefined where the first row is data. */
  readonly header?: Row;
  /** Number of cells in every row. */
  readonly width: number;
  /** Number of columns on the left that are no data: names or numbers of rows. */
  readonly skip: number;
  /** Whether a separator ends every row. */
  readonly trailing: boolean;
}

const place = (row: Row, column: number) => `line ${row.line}, column ${column + 1}`;
/** With these separators, the comma may be the decimal mark. */
const mayBeDecimal = (separator: Separator) => separator === ';' || separator === '\t';

/** Whether cells count rows or columns from `first` on. */
const counts = (cells: readonly string[], first: number) =>
  cells.length > 0 && cells.every((cell, i) => cell === String(i + first));

/** Whether a separator ends a row: its last cell is empty. */
const isOpen = ({ cells, quoted }: Row) =>
  cells.length > 1 && cells.at(-1) === '' && !quoted.at(-1);

/** The first two rows and, from all rows below the first, the first cells and other evidence. */
function survey(rows: Iterable<Row>) {
  const names: { text: string; quoted: boolean }[] = [];
  let first: Row | undefined;
  let second: Row | undefined;
  let [open, quotes] = [true, false];
  for (const row of rows) {
    if (first) {
      second ??= row;
      names.push({ text: row.cells[0]!, quoted: row.quoted[0]! });
      open &&= isOpen(row);
      quotes ||= row.quoted.includes(true);
    }
    first ??= row;
  }
  return { first, second, names, open, quotes };
}

/**
 * The rows and columns of a table that are names. A first row of words is a header. R omits the
 * name of the column that names the rows; pandas leaves it empty, and numbers unnamed columns from
 * 0. Ambiguous tables are refused.
 */
function layoutOf(rows: Iterable<Row>, separator: Separator): Layout {
  const { first, second, names, open, quotes } = survey(rows);
  if (!first) refuse('there are no numbers');
  const { cells, quoted } = first;
  const isWord = (cell: string) => isName(cell, mayBeDecimal(separator));
  const texts = names.map(({ text }) => text);
  const counted = counts(texts, 0) || counts(texts, 1);
  const word = cells.findIndex(isWord);

  if (word < 0) {
    const [corner, ...columns] = cells;
    const data = { width: cells.length, skip: 0, trailing: isOpen(first) && open };
    const numbered = counts(columns, 0);
    if (corner === '' && numbered && counted) return { ...data, header: first, skip: 1 };
    if (corner === '' && (numbered || (counted && columns.every((cell) => /^\d+$/.test(cell))))) {
      const problem =
        'is empty, and the row may be names; it needs a name, or nan where it is data';
      refuse(`${place(first, 0)}: ${problem}`);
    }
    if (second && !quoted.includes(false) && !quotes) {
      const problem = `${shown(corner!)} may be a name or a number: only this row has quotes`;
      refuse(`${place(first, 0)}: ${problem}`);
    }
    return data;
  }
  if (cells.some((cell) => cell !== '' && !isWord(cell))) {
    refuse(`${place(first, word)}: ${shown(cells[word]!)} is no number`);
  }
  if (!second) refuse(`there are no numbers below the names of line ${first.line}`);
  const width = second.cells.length;
  const columns = cells.length - (isOpen(first) && open ? 1 : 0);
  const trailing = open && width > columns;
  if (width - (trailing ? 1 : 0) === columns) {
    const unnamed = cells.findIndex((cell) => !/^(?:unnamed: \d+)?$/i.test(cell));
    return { header: first, width, skip: Math.max(0, unnamed), trailing };
  }
  const areNames =
    names.every(({ text, quoted: isQuoted }) => isQuoted || isWord(text)) ||
    (counted && (separator === ' ' || separator === '\t'));
  if (width - (trailing ? 1 : 0) === columns + 1 && areNames) {
    return { header: first, width, skip: 1, trailing };
  }
  const problem = `has ${width} cells, the names of columns in line ${first.line} are ${columns}`;
  return refuse(`line ${second.line} ${problem}`);
}

/**
 * Rows of numbers separated by commas, semicolons, tabs or spaces; with semicolons and tabs the
 * comma may be the decimal mark. Numbers may be in quotes. Empty cells, NA and the like are NaN.
 * Empty lines and lines that begin with # are skipped, as are names of columns and rows.
 *
 * @throws TrilError where another cell is not a number, or rows differ in length, with the place
 */
export function readCsv(whole: string): Table {
  const said = /^sep=([,;\t])(?:\r\n|\n|\r)/.exec(whole); // which Excel obeys
  const text = said ? whole.slice(said[0].length) : whole;
  const separator = (said?.[1] as Separator | undefined) ?? separatorOf(text);
  const read = () => rowsOf(text, separator, said ? 2 : 1);
  const { header, width, skip, trailing } = layoutOf(read(), separator);
  const decimal = mayBeDecimal(separator);
  let mark: string | undefined; // the decimal mark of the first number that has one
  let booleans = true;
  const valueOf = (row: Row, column: number): number => {
    const cell = row.cells[column]!;
    const truth = booleanOf(cell);
    booleans &&= truth !== undefined;
    if (truth !== undefined) return Number(truth);
    const number = numberOf(cell, decimal);
    if (number === undefined) refuse(`${place(row, column)}: ${shown(cell)} is no number`);
    const own = decimal ? /^[-+\d]*([.,])(?!#)/.exec(cell)?.[1] : undefined;
    if (own && own !== (mark ??= own)) {
      refuse(`${place(row, column)}: ${shown(cell)} has "${own}" where others have "${mark}"`);
    }
    return number;
  };
  const rows: number[][] = [];
  for (const row of read()) {
    if (row.line === header?.line) continue;
    const { length } = row.cells;
    if (length !== width) {
      refuse(`line ${row.line} has ${length} numbers, those before it have ${width}`);
    }
    const numbers: number[] = [];
    for (let column = skip; column < length - (trailing ? 1 : 0); ++column) {
      numbers.push(valueOf(row, column));
    }
    rows.push(numbers);
  }
  return { numbers: rows, type: booleans ? 'bool' : 'float64' };
}
