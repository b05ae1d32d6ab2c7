import { TrilError } from '../error.js';
import { describe } from '../names.js';
import type { NotebookCell, NotebookProgram } from './ipynb.js';

/**
 * Whether a line begins a cell: `# %%`, with or without a title.
 *
 * @throws TrilError for a value that is not a string
 *
 * @example
 * ```ts
 * import { beginsCell } from 'tril/notebook';
 *
 * beginsCell('# %% Softmax'); // true
 * beginsCell('x = 1  # %%'); // false
 * beginsCell(3 as never); // throws TrilError: beginsCell: line: must be a string, is 3
 * ```
 */
export function beginsCell(line: string): boolean {
  checkText('beginsCell', 'line', line);
  return /^# ?%%(?:\s|$)/.test(line);
}

/**
 * Splits a program at its lines `# %%`, which begin cells in editors and Jupytext, so that `runProgram` runs each cell
 * on its own. A program without such a line is one cell. The line belongs to the cell it begins, and magics are not
 * read.
 *
 * @throws TrilError for a value that is not a string
 *
 * @example
 * ```ts
 * import { runProgram, splitCells } from 'tril/notebook';
 *
 * const notebook = splitCells('# %%\nx = 1 +\n# %%\ny = 2\ny * 3');
 * const { cells } = runProgram(tril, notebook);
 * cells![0]!.error; // { kind: 'SyntaxError', line: 2, message: 'invalid syntax: x = 1 +' }
 * cells![1]!.value; // { type: 'int', text: '6', value: 6 }
 * splitCells(3 as never); // throws TrilError: splitCells: code: must be a string, is 3
 * ```
 */
export function splitCells(code: string): NotebookProgram {
  checkText('splitCells', 'code', code);
  const lines = code.split('\n');
  const starts = lines.flatMap((line, i) => (beginsCell(line) ? [i] : []));
  const isEmpty = lines.slice(0, starts[0]).every((line) => line.trim() === '');
  if (starts[0] === undefined || (starts[0] > 0 && !isEmpty)) starts.unshift(0);
  const cells = starts.map((start, i): NotebookCell => {
    const own = lines.slice(start, starts[i + 1]);
    return { line: start + 1, lines: own.length, source: own.join('\n') };
  });
  return { code, cells };
}

function checkText(call: string, argument: string, text: unknown): void {
  if (typeof text === 'string') return;
  throw new TrilError(call, argument, `must be a string, is ${describe(text)}`);
}
