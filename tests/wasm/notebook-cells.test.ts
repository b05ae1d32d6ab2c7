// Notebooks as programs: every line keeps its number, and no IPython syntax is left.
import {
  beginsCell,
  cellOf,
  checkExercise,
  notebookProgram,
  runProgram,
  splitCells,
} from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const code = (source: string | readonly string[]) => ({ cell_type: 'code', source });
const notebook = (...cells: readonly unknown[]) => JSON.stringify({ nbformat: 4, cells });
const ofCells = (...sources: readonly string[]) => notebookProgram(notebook(...sources.map(code)));

describe('notebookProgram', () => {
  it('puts the cells of code one after another', () => {
    const { code: program, cells } = notebookProgram(
      notebook(
        { cell_type: 'markdown', source: ['# Title\n', 'text'] },
        code(['import numpy as np\n', 'x = np.arange(3)']),
        { cell_type: 'raw', source: 'left out' },
        code(''),
        code('print(x)\r\ny = x + 1'),
      ),
    );
    expect(program).toBe('import numpy as np\nx = np.arange(3)\n\nprint(x)\ny = x + 1');
    expect(cells).toEqual([
      { line: 1, lines: 2, source: 'import numpy as np\nx = np.arange(3)' },
      { line: 3, lines: 1, source: '' },
      { line: 4, lines: 2, source: 'print(x)\ny = x + 1' },
    ]);
    withoutLeak(() => expect(runProgram(tril, program).printed).toBe('[0 1 2]\n'));
  });

  it.each([
    ['%matplotlib inline', '# %matplotlib inline'],
    ['!pip install numpy', '# !pip install numpy'],
    ['?print', '# ?print'],
    ['np.exp?', '# np.exp?'],
    ['x??', '# x??'],
    ['files = !ls', '# files = !ls'],
    ['if True:\n    %matplotlib inline', 'if True:\n    pass  # %matplotlib inline'],
    ['if x:\n    !ls \\\n  -l', 'if x:\n    pass  # !ls \n#   -l'],
    ['%time x = 3', 'x = 3'],
    ['%timeit f(x)', '# %timeit f(x)'],
    ['!pip install \\\n  numpy\nx = 1', '# !pip install \n#   numpy\nx = 1'],
  ])('%j', (cell, expected) => {
    expect(ofCells(cell).code).toBe(expected);
  });

  it.each([
    'x = (7\n  %y)',
    'x = 7 \\\n  %y',
    'text = """\n%d items\n!\n"""',
    "text = '''\n\"\n%d items'''\nx = [1, # (\n2]",
    'x = 7 % y  # why?',
    "print('why?')",
    'x = y != z',
  ])('leaves Python alone: %j', (cell) => {
    expect(ofCells(cell).code).toBe(cell);
  });

  it('finds a magic behind a string and brackets that are closed', () => {
    const cell = 'print("""%d\n""", [\n1])\n%matplotlib inline\nx = "#"; y = (1)\n!ls';
    const lines = ofCells(cell).code.split('\n');
    expect([lines[3], lines[5]]).toEqual(['# %matplotlib inline', '# !ls']);
  });

  it('begins each cell anew', () => {
    expect(ofCells('x = (1,', '%matplotlib inline').code).toBe('x = (1,\n# %matplotlib inline');
  });

  it('leaves out cells in other languages, and keeps those that are only timed', () => {
    const { code: program, cells } = ofCells('%%bash\nls\n\npwd', '%%time\nx = 1', '\n%%html\n<p>');
    expect(program.split('\n')).toEqual([
      ...['# %%bash', '# ls', '', '# pwd'],
      ...['# %%time', 'x = 1'],
      ...['', '# %%html', '# <p>'],
    ]);
    expect(cells.map(({ line, lines, skipped }) => [line, lines, skipped])).toEqual([
      [1, 4, '%%bash'],
      [5, 2, undefined],
      [7, 3, '%%html'],
    ]);
  });

  it('reads format 3, and a text that begins with a mark of byte order', () => {
    const sheet = { cells: [{ cell_type: 'code', input: ['x = 1\n', 'y'], language: 'python' }] };
    const text = JSON.stringify({ nbformat: 3, worksheets: [sheet, { cells: [code('z')] }] });
    expect(notebookProgram(`\uFEFF${text}`).code).toBe('x = 1\ny\nz');
  });

  it('keeps the lines of every notebook, whatever is in its cells', () => {
    const parts = ['%a', '!', '"""', "'", '(', ')', '\\', '\n', '\n', '#', 'x', ' ', '%%b', '?'];
    let state = 7;
    const next = (below: number) => (state = (state * 48271) % 2147483647) % below;
    for (let n = 0; n < 500; ++n) {
      const sources = Array.from({ length: 1 + next(4) }, () =>
        Array.from({ length: next(20) }, () => parts[next(parts.length)]).join(''),
      );
      const made = ofCells(...sources);
      const lines = made.code.split('\n');
      expect(lines).toHaveLength(sources.join('\n').split('\n').length);
      for (const [i, cell] of made.cells.entries()) {
        expect(cell.source).toBe(sources[i]);
        expect(cellOf(made, cell.line + cell.lines - 1)).toEqual({ cell: i + 1, line: cell.lines });
      }
    }
  });

  it('says where an error is', () => {
    const made = ofCells('import numpy as np', '%time 1\ndef softmax(z):\n    return z @ z');
    withoutLeak(() => {
      const { line } = checkExercise(tril, 'softmax', made.code);
      expect(cellOf(made, line!)).toEqual({ cell: 2, line: 3 });
    });
    expect([0, 5, NaN].map((line) => cellOf(made, line))).toEqual([null, null, null]);
  });

  it('refuses what is no notebook', () => {
    const refuse = (text: unknown, says: RegExp | string) =>
      expectRefused(() => notebookProgram(text as string), {
        ...{ call: 'notebookProgram', argument: 'text', says },
      });
    refuse(3, 'must be a string, is 3');
    refuse('', /is not JSON: \S/);
    refuse('{"cells": [', /is not JSON: [^\n]+$/);
    refuse('[]', 'must be a notebook, is an array');
    refuse('null', 'must be a notebook, is null');
    refuse('{}', 'has no cells: is it a notebook?');
    refuse('{"cells": 3}', 'cells must be a list, is 3');
    refuse('{"worksheets": [3]}', 'worksheets[0].cells must be a list, is 3');
    refuse('{"cells": [3]}', 'cells[0] must be an object, is 3');
    refuse('{"cells": [{}]}', 'cells[0].cell_type must be a string, is undefined');
    const must = 'cells[0].source must be a string or a list of strings';
    refuse(notebook({ cell_type: 'code' }), `${must}, is undefined`);
    refuse(notebook({ cell_type: 'code', source: null }), `${must}, is undefined`);
    refuse(notebook({ cell_type: 'code', source: ['x', 3] }), `${must}, is 3`);
    refuse(notebook({ cell_type: 'code', source: { toString: 1 } }), `${must}, is a Object`);
    const ofR = { nbformat: 4, metadata: { kernelspec: { language: 'R' } }, cells: [] };
    refuse(JSON.stringify(ofR), 'must be a notebook of Python, is one of "R"');
    refuse(notebook(code('x'.repeat(1_000_001))), '1,000,001 characters of code');
    refuse(' '.repeat(1e8 + 1), '100,000,001 characters; a notebook may have 100,000,000');
  });

  it('takes a notebook without cells, and strange metadata', () => {
    expect(notebookProgram(notebook())).toEqual({ code: '', cells: [] });
    const strange = { cells: [], metadata: { language_info: { name: { toString: 1 } } } };
    expect(notebookProgram(JSON.stringify(strange)).cells).toEqual([]);
  });
});

it('cellOf refuses what is no notebook’s program', () => {
  for (const wrong of [undefined, null, {}, 'x']) {
    expectRefused(() => cellOf(wrong as never, 1), {
      ...{ call: 'cellOf', argument: 'notebook', says: 'must be what notebookProgram gives' },
    });
  }
});

describe('the cells of a notebook', () => {
  const run = (...sources: readonly string[]) => runProgram(tril, ofCells(...sources));

  it('have what they print, and the value of their last line', () => {
    withoutLeak(() => {
      const { cells, error, printed } = run(
        'import numpy as np\nx = np.arange(3.0)\nprint(x)',
        'x',
        'x += 1\nx.sum()',
        '%matplotlib inline',
        'print(1); 2;',
        'None',
        "'a' * 2",
      );
      expect(error).toBeNull();
      expect(printed).toBe('[0. 1. 2.]\n1\n');
      expect(cells!.map((cell) => [cell.line, cell.printed, cell.value?.text])).toEqual([
        [1, '[0. 1. 2.]\n', undefined],
        [4, '', 'array([0., 1., 2.])'],
        [5, '', '6.0'],
        [7, '', undefined],
        [8, '1\n', undefined],
        [9, '', undefined],
        [10, '', "'aa'"],
      ]);
      expect(cells![6]!.value).toEqual({ type: 'str', text: "'aa'", value: 'aa' });
    });
  });

  it('give the node of an array as it was', () => {
    withoutLeak(() => {
      const { cells, tensors } = run('import numpy as np\nx = np.zeros(2)\nx', 'x[0] = 7\nx');
      const [before, after] = cells!.map(({ value }) => tensors[value!.node!]!.toArray());
      expect([before, after]).toEqual([
        [0, 0],
        [7, 0],
      ]);
    });
  });

  it('stop by themselves: those behind one with a mistake run', () => {
    withoutLeak(() => {
      const { cells, error, values, lines } = run(
        'x = 1\ny = (x +',
        'z = 2\nw = z + nothing\nv = 3',
        'z * 10',
        'y',
      );
      expect(error).toMatchObject({ kind: 'SyntaxError', line: 2 });
      expect(cells!.map(({ error: each }) => each && [each.kind, each.line])).toEqual([
        ['SyntaxError', 2],
        ['NameError', 4],
        null,
        ['NameError', 7],
      ]);
      expect(cells![2]!.value!.text).toBe('20');
      expect(Object.keys(values)).toEqual(['z']);
      expect(lines.map(({ line }) => line)).toEqual([3, 4, 6, 7]);
    });
  });

  it('do not run behind one that the limits stopped', () => {
    const made = runProgram(tril, ofCells('x = 1', 'while True: pass', 'y = 2'), {
      limits: { steps: 1000 },
    });
    expect(made.cells!.map(({ error }) => error?.kind)).toEqual([undefined, 'TimeoutError']);
    const long = runProgram(tril, ofCells('x = 1'), { limits: { code: 3 } });
    expect(long).toMatchObject({ error: { kind: 'MemoryError' }, cells: [] });
    // A program's own error with the same text is an ordinary error.
    const own = `class TimeoutError(Exception):\n    pass\nraise TimeoutError('stopped at noon')`;
    expect(runProgram(tril, ofCells(own, 'y = 2')).cells).toHaveLength(2);
  });

  it('refuse what is none', () => {
    for (const wrong of [3, null, {}, { code: 'x' }, { cells: [] }, []]) {
      expectRefused(() => runProgram(tril, wrong as never), {
        ...{ call: 'runProgram', argument: 'code' },
        says: 'must be a string or what notebookProgram gives',
      });
    }
  });
});

describe('splitCells', () => {
  it('begins a cell at each line that says so', () => {
    const code = '\nx = 1\n# %% two\ny = 2\ny\n#%%\n# %%no\n%%';
    const made = splitCells(code);
    expect(made.code).toBe(code);
    expect(made.cells.map(({ line, lines }) => [line, lines])).toEqual([
      [1, 2],
      [3, 3],
      [6, 3],
    ]);
    expect(cellOf(made, 5)).toEqual({ cell: 2, line: 3 });
    expect(splitCells('x').cells).toEqual([{ line: 1, lines: 1, source: 'x' }]);
    expect(splitCells('\n# %%\nx').cells).toEqual([{ line: 2, lines: 2, source: '# %%\nx' }]);
    expect(runProgram(tril, splitCells('# %%\nx = (\n# %%\n1 + 1')).cells![1]!.value!.text).toBe(
      '2',
    );
  });

  it('says which lines begin a cell', () => {
    const lines = ['# %%', '#%% Softmax', '# %%Softmax', ' # %%', 'x = 1  # %%', '%%time'];
    expect(lines.map(beginsCell)).toEqual([true, true, false, false, false, false]);
  });

  it('refuses what is no string', () => {
    expectRefused(() => splitCells(3 as never), {
      ...{ call: 'splitCells', argument: 'code', says: 'must be a string, is 3' },
    });
  });
});
