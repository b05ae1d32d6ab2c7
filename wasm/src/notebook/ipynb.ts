// A Jupyter notebook as one program, whose lines are those of its cells.
import { TrilError } from '../error.js';
import { describe } from '../names.js';

/** A code cell of a notebook's program. */
export interface NotebookCell {
  /** The line of the program on which it begins, counted from 1. */
  readonly line: number;
  /** Number of its lines, in the program and in the notebook. */
  readonly lines: number;
  /** Its text in the notebook. */
  readonly source: string;
  /** For a skipped cell: the magic at its beginning, such as `%%bash`. */
  readonly skipped?: string;
}

/** A notebook's program. */
export interface NotebookProgram {
  /** All code cells, one after another, for `runProgram` and `checkExercise`. */
  readonly code: string;
  /** The code cells in order. The first is cell 1, as in `In [1]` of a notebook run from its top. */
  readonly cells: readonly NotebookCell[];
}

const call = 'notebookProgram';

/** Maximum characters of a notebook, pictures included, and of its code, the same as for a program. */
const limits = { text: 1e8, code: 1e6 };

const refuse = (problem: string) => new TrilError(call, 'text', problem);
const inWords = (size: number) => size.toLocaleString('en');

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readNotebook(text: string): Fields {
  if (text.length > limits.text) {
    throw refuse(
      `has ${inWords(text.length)} characters; a notebook may have ${inWords(limits.text)}`,
    );
  }
  let notebook: unknown;
  try {
    notebook = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // Engines quote the text in their messages, line ends included.
    throw refuse(`is not JSON: ${(error as Error).message.replace(/\p{Cc}+/gu, ' ')}`);
  }
  if (!isObject(notebook)) throw refuse(`must be a notebook, is ${describe(notebook)}`);
  return notebook;
}

/** The language of the cells, from the notebook's metadata. */
function languageOf({ metadata }: Fields): unknown {
  if (!isObject(metadata)) return undefined;
  const part = (name: string) => (isObject(metadata[name]) ? metadata[name] : {});
  return part('language_info').name ?? part('kernelspec').language;
}

/** All cells by their place in the notebook: format 4 has one list of them, format 3 one in each worksheet. */
function placesOf(notebook: Fields): (readonly [string, unknown])[] {
  const list = (cells: unknown, place: string) => {
    if (!Array.isArray(cells)) throw refuse(`${place} must be a list, is ${describe(cells)}`);
    return cells.map((cell, i): readonly [string, unknown] => [`${place}[${i}]`, cell]);
  };
  if (notebook.cells !== undefined) return list(notebook.cells, 'cells');
  if (notebook.worksheets === undefined) throw refuse('has no cells: is it a notebook?');
  return list(notebook.worksheets, 'worksheets').flatMap(([place, sheet]) =>
    list(isObject(sheet) ? sheet.cells : sheet, `${place}.cells`),
  );
}

/** The text of a code cell, from `source`, or `input` in format 3; undefined for other cells. */
function sourceOf(place: string, cell: unknown): string | undefined {
  if (!isObject(cell)) throw refuse(`${place} must be an object, is ${describe(cell)}`);
  if (typeof cell.cell_type !== 'string') {
    throw refuse(`${place}.cell_type must be a string, is ${describe(cell.cell_type)}`);
  }
  if (cell.cell_type !== 'code') return undefined;
  const source = cell.source ?? cell.input;
  const parts: readonly unknown[] = Array.isArray(source) ? source : [source];
  const wrong = parts.find((part) => typeof part !== 'string');
  if (wrong !== undefined || source === undefined) {
    throw refuse(`${place}.source must be a string or a list of strings, is ${describe(wrong)}`);
  }
  return parts.join('').replace(/\r\n?/g, '\n');
}

/** Cell magics whose cells contain Python that runs with the other cells. */
const ofPython = ['%%time', '%%timeit', '%%capture', '%%prun'];

/** `%name`, `!command`, `?name`, `name?`, and `files = !ls`. */
const magic = /^\s*(?:%{1,2}[a-z]|!|\?)|^[^#'"]*\w\?{1,2}\s*$|^\s*\w[\w\s,]*=\s*(?:!|%[a-z])/i;

/** The state at the end of a line: the quote of an open string, and the number of open brackets. */
interface Open {
  readonly quote: string;
  readonly depth: number;
}

function openAfter(line: string, { quote, depth }: Open): Open {
  for (const [token] of line.matchAll(/\\.|"""|'''|["'#()[\]{}]/g)) {
    if (quote) {
      if (token.startsWith(quote)) quote = '';
    } else if (token === '#') break;
    else if (/["']/.test(token)) quote = token;
    else if ('([{'.includes(token)) ++depth;
    else if (')]}'.includes(token)) depth = Math.max(0, depth - 1);
  }
  // Only a string in triple quotes continues on the next line by itself.
  return { quote: quote.length === 1 && !line.endsWith('\\') ? '' : quote, depth };
}

const asComment = (line: string) => (line.trim() === '' ? line : `# ${line}`);

/** A line of IPython as a Python line that does nothing; a timed statement runs. */
function withoutMagic(line: string): string {
  const [, indent, rest] = /^(\s*)(.*)$/s.exec(line)!;
  const [, timed] = /^%time\s+(\S.*)$/s.exec(rest!) ?? [];
  if (timed !== undefined) return indent! + timed;
  return indent ? `${indent}pass  # ${rest}` : `# ${rest}`;
}

/** The lines of a cell, in the same number, without IPython's syntax. */
function linesOf(source: string): { lines: string[]; skipped?: string } {
  const [skipped] = /^%%[\w!]+/.exec(source.trimStart()) ?? [];
  const all = source.split('\n');
  if (skipped && !ofPython.includes(skipped)) return { lines: all.map(asComment), skipped };
  let open: Open = { quote: '', depth: 0 };
  /** Whether the previous line ends in a backslash, and whether it is IPython's. */
  let [continues, isMagic] = [false, false];
  const lines = all.map((line) => {
    const isRest = continues && isMagic;
    isMagic = isRest || (!continues && !open.quote && open.depth === 0 && magic.test(line));
    continues = line.endsWith('\\');
    if (!isMagic) {
      open = openAfter(line, open);
      return line;
    }
    const text = continues ? line.slice(0, -1) : line;
    const plain = isRest ? asComment(text) : withoutMagic(text);
    open = openAfter(plain, open);
    return plain;
  });
  return { lines };
}

/**
 * Reads a Jupyter notebook (`.ipynb`, of format 4 or 3) and gives its code cells as one program. Lines keep their numbers: a
 * magic (`%matplotlib inline`, `!pip install`) becomes a comment, and so does each line of a cell in another language (`%%bash`).
 * Text cells are left out.
 *
 * @throws TrilError for text that is not a notebook, a notebook in another language, and one of more than 1,000,000 characters of
 * code
 *
 * @example
 * ```ts
 * import { cellOf, notebookProgram, runProgram } from 'tril/notebook';
 *
 * const text = JSON.stringify({
 *   nbformat: 4,
 *   cells: [
 *     { cell_type: 'markdown', source: '# Homework' },
 *     { cell_type: 'code', source: ['%matplotlib inline\n', 'import numpy as np'] },
 *     { cell_type: 'code', source: ['x = np.ones((2, 3))\n', 'x @ x'] },
 *   ],
 * });
 * const notebook = notebookProgram(text);
 * notebook.code.split('\n'); // ['# %matplotlib inline', 'import numpy as np', 'x = np.ones((2, 3))', 'x @ x']
 * notebook.cells[1]; // { line: 3, lines: 2, source: 'x = np.ones((2, 3))\nx @ x' }
 * const { error } = runProgram(tril, notebook.code);
 * cellOf(notebook, error!.line); // { cell: 2, line: 2 }
 * notebookProgram('x = 1'); // throws TrilError: notebookProgram: text: is not JSON
 * ```
 */
export function notebookProgram(text: string): NotebookProgram {
  if (typeof text !== 'string') throw refuse(`must be a string, is ${describe(text)}`);
  const notebook = readNotebook(text);
  const language = languageOf(notebook);
  if (typeof language === 'string' && !/^i?python/i.test(language)) {
    throw refuse(`must be a notebook of Python, is one of ${describe(language)}`);
  }
  const sources = placesOf(notebook).flatMap(([place, cell]) => sourceOf(place, cell) ?? []);
  const size = sources.reduce((sum, source) => sum + source.length, 0);
  if (size > limits.code) {
    throw refuse(
      `has ${inWords(size)} characters of code; a program may have ${inWords(limits.code)}`,
    );
  }
  const all: string[] = [];
  const cells = sources.map((source): NotebookCell => {
    const line = all.length + 1;
    const { lines, ...rest } = linesOf(source);
    for (const each of lines) all.push(each);
    return { line, lines: lines.length, source, ...rest };
  });
  return { code: all.join('\n'), cells };
}

/**
 * The cell and the line in it for a line of a notebook's program, both counted from 1; null for a line outside the program.
 *
 * @throws TrilError for a value that is not a notebook's program
 *
 * @example
 * ```ts
 * import { cellOf, notebookProgram } from 'tril/notebook';
 *
 * const cells = ['x = 1\ny = 2', 'z = x + y'].map((source) => ({ cell_type: 'code', source }));
 * const notebook = notebookProgram(JSON.stringify({ nbformat: 4, cells }));
 * cellOf(notebook, 2); // { cell: 1, line: 2 }
 * cellOf(notebook, 3); // { cell: 2, line: 1 }
 * cellOf(notebook, 4); // null
 * cellOf({} as never, 1); // throws TrilError: cellOf: notebook: must be what notebookProgram gives, is a Object
 * ```
 */
export function cellOf(
  notebook: NotebookProgram,
  line: number,
): { readonly cell: number; readonly line: number } | null {
  if (!Array.isArray(notebook?.cells)) {
    const problem = `must be what notebookProgram gives, is ${describe(notebook)}`;
    throw new TrilError('cellOf', 'notebook', problem);
  }
  const at = notebook.cells.findIndex(
    (cell: NotebookCell) => line >= cell.line && line < cell.line + cell.lines,
  );
  return at < 0 ? null : { cell: at + 1, line: line - notebook.cells[at]!.line + 1 };
}
