// The command `tril check-notebook`, as a process: its output, and its exit code.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exerciseLink } from 'tril/notebook';
import { afterAll, describe, expect, it } from 'vitest';

const installed = dirname(createRequire(import.meta.url).resolve('tril/package.json'));
const notebookModule = join(installed, 'dist', 'notebook', 'index.js');
const folder = mkdtempSync(join(tmpdir(), 'tril-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `tril` in the folder of the files. */
function command(...args: readonly string[]): Promise<Ended> {
  const script = fileURLToPath(new URL('../../wasm/bin/tril.js', import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: folder }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}
const check = (...args: readonly string[]) => command('check-notebook', ...args);

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const softmax = `import numpy as np
def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;
const attention = `def attention(Q, K, V):
    d = Q.shape[-1]
    weights = softmax(Q @ K.swapaxes(-1, -2) / d)
    return weights @ V
`;
const notebook = (...sources: readonly string[]) =>
  JSON.stringify({ nbformat: 4, cells: sources.map((source) => ({ cell_type: 'code', source })) });

const right = file('right.py', softmax);
const wrong = file('wrong.py', softmax.replace(' - z.max(axis=-1, keepdims=True)', ''));
const homework = file('homework.ipynb', notebook('%matplotlib inline', softmax, attention));
const saysRight = 'softmax: Right, to 7 digits, in 4 cases.';
const saysWrong =
  'softmax: Line 3: the largest entry of a row is not taken off: e^z overflows where numbers are large.';
const saysWidth =
  'attention: Cell 3, line 3: the scores are divided by the width, not by its root.';

describe('tril check-notebook', { timeout: 180_000 }, () => {
  it('says in a line what it found, and exits with 0 where all is right', async () => {
    expect(await check(right)).toEqual({ code: 0, out: `right.py: ${saysRight}\n`, err: '' });
    const both = await check(right, wrong, '--exercise', 'softmax');
    const out = `right.py: ${saysRight}\nwrong.py: ${saysWrong}\n`;
    expect(both).toEqual({ code: 1, out, err: '' });
  });

  it('judges every function of a notebook, and says cells', async () => {
    const out = `homework.ipynb: ${saysRight}\nhomework.ipynb: ${saysWidth}\n`;
    expect(await check(homework)).toEqual({ code: 1, out, err: '' });
    const unnamed = softmax.replace('e / e', 'e / 2 / e');
    file('unnamed.ipynb', notebook('x = 1', unnamed));
    expect((await check('unnamed.ipynb')).out).toMatch(
      /: The result is wrong \(.*\)\. Cell 2, line 3 still has .*, cell 2, line 4 has none\. Element \[0, 0\] is 0\.2\d+, must be 0\.\d+\.\n$/u,
    );
    const [{ departure }] = JSON.parse((await check('unnamed.ipynb', '--json')).out) as [
      { departure: object },
    ];
    expect(departure).toEqual({
      ...{ line: 4, cell: 2, place: [0, 0] },
      ...{ found: expect.closeTo(0.205, 3) as number, wanted: expect.closeTo(0.41, 2) as number },
    });
  });

  it('gives JSON', async () => {
    const { code, out } = await check('--json', homework, wrong);
    expect(code).toBe(1);
    const [ofSoftmax, ofAttention] = [saysRight, saysWidth].map((text) =>
      text.replace(/^\w+: /u, ''),
    );
    expect(JSON.parse(out)).toEqual([
      {
        ...{ file: homework, exercise: 'softmax', kind: 'right', message: ofSoftmax, digits: 7 },
      },
      {
        ...{ file: homework, exercise: 'attention', kind: 'mistake', message: ofAttention },
        ...{ line: 3, cell: 3, mistake: 'scale-by-width' },
      },
      {
        ...{ file: wrong, exercise: 'softmax', kind: 'mistake', mistake: 'overflow', line: 3 },
        message: saysWrong.slice('softmax: '.length),
      },
    ]);
  });

  it('goes on behind a submission that does not end, or takes everything', async () => {
    const loop = file('loop.py', 'def softmax(z):\n    while True: pass\n');
    const huge = file('huge.py', softmax.replace('(z -', '(np.zeros(10**9) + z -'));
    const broken = file('broken.py', 'def softmax(z:\n');
    const { code, out } = await check(loop, huge, broken, right, '--exercise', 'softmax');
    expect(code).toBe(1);
    const lines = out.split('\n');
    expect(lines[0]).toContain('loop.py: softmax: Line 2: TimeoutError: stopped after 1,000,000');
    expect(lines[1]).toContain('huge.py: softmax: Line 3: MemoryError: ');
    expect(lines[2]).toContain('broken.py: softmax: Line 1: SyntaxError: ');
    expect(lines.slice(3)).toEqual([`right.py: ${saysRight}`, '']);
  });

  it('takes an exercise of your own, and goes on where it ends the process', async () => {
    const own = (change: string) =>
      `import { exercises } from ${JSON.stringify(notebookModule)};
      export default { ...exercises.find(({ id }) => id === 'softmax'), id: 'mine', ${change} };`;
    file('own.mjs', own(''));
    const mine = saysRight.replace('softmax', 'mine');
    expect(await check(right, '--exercise', 'own.mjs')).toMatchObject({
      ...{ code: 0, out: `right.py: ${mine}\n` },
    });
    file('ends.mjs', own('graph: () => process.exit(3)'));
    file('loops.mjs', own('graph: () => { for (;;); }'));
    const both = ['--exercise', 'ends.mjs', '--exercise', 'softmax'];
    expect(await check(right, ...both)).toMatchObject({
      code: 1,
      out: `right.py: mine: It was stopped: it ended its process.\nright.py: ${saysRight}\n`,
    });
    expect(await check(right, '--exercise', 'loops.mjs', '--seconds', '1')).toMatchObject({
      ...{ code: 1, out: 'right.py: mine: It was stopped: it takes more than 1 s.\n' },
    });
  });

  it('takes an exercise of a link, or of a file of JSON', async () => {
    const exercise = {
      ...{ title: 'Twice', task: 'Return x + x.', name: 'double', parameters: ['x'], hints: [] },
      ...{ skeleton: 'def double(x):\n    pass', program: 'def double(x):\n    return x + x' },
      cases: [{ name: '2 rows', inputs: { x: { shape: [2, 3] } } }],
    };
    const json = file('double.json', JSON.stringify(exercise));
    const link = await exerciseLink({ ...exercise, id: 'double' }, 'https://example.org/write');
    const mine = file('double.py', 'def double(x):\n    return 2 * x\n');
    const { code, out } = await check(mine, '--exercise', json, '--exercise', link);
    const line = 'double.py: double: Right, to 7 digits, in 1 case.\n';
    expect({ code, out }).toEqual({ code: 0, out: line.repeat(2) });
    const broken = await check(mine, '--exercise', '#?made=AAAA');
    expect(broken.code).toBe(2);
    expect(broken.err).toMatch(/^tril: #\?made=AAAA: link: cannot be read/u);
  });

  it('leaves out what does not run here, beside the functions', async () => {
    const figures = [
      'import numpy as np\nimport matplotlib.pyplot as plt',
      softmax,
      'plt.imshow(softmax(\n    np.ones((2, 3))\n))\nfor i in range(3):\n    plt.plot(i)\nelse:\n    pass',
      'try:\n    x = 1\nexcept ValueError:\n    x = 2\n# Done',
      'while True: pass',
    ];
    const left = 'Left out, since it does not run here: cell 1, line 2 and 4 more.';
    const { code, out } = await check(file('figures.ipynb', notebook(...figures)));
    expect({ code, out }).toEqual({ code: 0, out: `figures.ipynb: ${saysRight} ${left}\n` });
    const one = file('one.py', `import matplotlib\n${softmax}`);
    expect((await check(one)).out).toBe(
      `one.py: ${saysRight} Left out, since it does not run here: line 1.\n`,
    );
    // Imports that the exercise's own functions need are not left out.
    const needed = file('needed.py', `import matplotlib, numpy as np\n${softmax.slice(19)}`);
    expect((await check(needed)).out).toMatch(/: Line 1: ModuleNotFoundError: /u);
    const inside = file('inside.py', softmax.replace('    e =', '    import scipy\n    e ='));
    expect((await check(inside)).out).toMatch(/: Line 3: ModuleNotFoundError: /u);
  });

  it('says what cannot be read, and judges the rest', async () => {
    file('wrong.ipynb', '{');
    file('notes.txt', softmax);
    const empty = file('empty.py', '\uFEFFx = 1\n');
    const { code, out } = await check('none.py', 'wrong.ipynb', 'notes.txt', empty, right);
    expect(code).toBe(2);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^none\.py: It cannot be read: ENOENT/u);
    expect(lines[1]).toMatch(/^wrong\.ipynb: It cannot be read: is not JSON: /u);
    expect(lines.slice(2)).toEqual([
      'notes.txt: It cannot be read: it is neither .py nor .ipynb',
      'empty.py: It defines no function of an exercise.',
      `right.py: ${saysRight}`,
      '',
    ]);
    const [unreadable] = JSON.parse((await check('none.py', '--json')).out) as [object];
    expect(unreadable).toMatchObject({ file: 'none.py', exercise: null, kind: 'unreadable' });
  });

  it('keeps to one line, whatever a program says', async () => {
    const text = 'def softmax(z):\n    raise ValueError("a\\nb\\x1b[31m")\n';
    const { out } = await check(file('says.py', text));
    expect(out).toBe('says.py: softmax: Line 2: ValueError: a b [31m (5 rows of 4).\n');
  });

  it.each([
    [[], 'no command; see tril --help'],
    [['check-notebook'], 'no file; see tril --help'],
    [['chek-notebook', right], 'unknown command "chek-notebook"; did you mean "check-notebook"?'],
    [['check-notebook', right, '--seconds', '0'], 'must be a number up to 86400, is "0"'],
    [['run'], 'unknown command "run"; there are: check-notebook'],
    [['check-notebook', right, '--jason'], 'unknown option "--jason"; did you mean "--json"?'],
    [['-x'], 'unknown option "-x"; there are: --exercise, --seconds, --json, --help'],
    [
      ['--toString'],
      'unknown option "--toString"; there are: --exercise, --seconds, --json, --help',
    ],
    [['check-notebook', right, '--exercise'], "Option '--exercise <value>' argument missing"],
    [
      ['check-notebook', right, '--exercise', 'casual'],
      'unknown exercise "casual"; did you mean "causal"?',
    ],
    [['check-notebook', right, '--exercise', 'none.mjs'], /^tril: none\.mjs: Cannot find module/u],
  ])('%j is wrong usage', async (args, says) => {
    const { code, out, err } = await command(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    if (typeof says === 'string') expect(err).toBe(`tril: ${says}\n`);
    else expect(err).toMatch(says);
  });

  it('helps', async () => {
    for (const args of [['--help'], ['check-notebook', '-h'], ['--help', 'x.py']]) {
      const { code, out } = await command(...args);
      expect(code).toBe(0);
      expect(out).toMatch(/^tril check-notebook FILE\.\.\. /u);
      expect(out).toContain('Exit codes: 0 all is right, 1');
    }
  });
});
