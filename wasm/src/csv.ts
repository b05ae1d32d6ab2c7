import { TrilError } from './error.js';

const words: Record<string, number> = {
  ...{ nan: NaN, inf: Infinity, '+inf': Infinity, '-inf': -Infinity },
  ...{ infinity: Infinity, '-infinity': -Infinity },
};

function numberOf(cell: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)) return Number(cell);
  return words[cell.toLowerCase()];
}

/**
 * Rows of numbers apart by commas, semicolons, tabs or spaces. Empty lines and those that begin
 * with # are skipped, and so is a first line without a number: the names of the columns.
 *
 * @throws TrilError where something else is no number, or rows differ in length, saying where
 */
export function readCsv(text: string): number[][] {
  const rows: number[][] = [];
  let named = false;
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const line = whole.replace(/^\uFEFF/, '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const separator = /[,;\t]/.exec(line)?.[0] ?? /\s+/;
    const cells = line.split(separator).map((cell) => cell.trim());
    const numbers = cells.map(numberOf);
    const wrong = numbers.indexOf(undefined);
    if (wrong >= 0 && rows.length === 0 && !named && numbers.every((x) => x === undefined)) {
      named = true;
      continue;
    }
    const where = `line ${index + 1}`;
    if (wrong >= 0) {
      const shown = JSON.stringify(cells[wrong]!.slice(0, 40));
      throw new TrilError(
        'readArrays',
        'file',
        `${where}, column ${wrong + 1}: ${shown} is no number`,
      );
    }
    const expected = rows[0]?.length ?? numbers.length;
    if (numbers.length !== expected) {
      const problem = `${where} has ${numbers.length} numbers, those before it have ${expected}`;
      throw new TrilError('readArrays', 'file', problem);
    }
    rows.push(numbers as number[]);
  }
  if (rows.length === 0) throw new TrilError('readArrays', 'file', 'there are no numbers');
  return rows;
}
