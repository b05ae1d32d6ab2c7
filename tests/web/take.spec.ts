// Taking figures along: in every chapter links, pictures, and programs that compute what the page shows. C++ is
// compiled against the core, NumPy is run where it is there, PyTorch's syntax is checked.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** TRIL_NATIVE gives another build of the core, for runs side by side. */
const native = process.env.TRIL_NATIVE ?? join(root, 'build', 'native');
/** From those that need others to those that are needed. */
const floors = ['block', 'attention', 'layers', 'matmul', 'foundation'];
const libraries = floors.map((floor) => join(native, 'core', 'tril', floor, `libtril_${floor}.a`));

/** What is tried out: the chapters whose figures have programs, as an address has them. */
const chapters = [
  'multiply?reading=outer&order=kji',
  'average',
  'average?show=sums&x=1,2;3,4.5&y=1,2;3,4',
  'attend?step=weights&text=the “cat” — 🙂 saw&edits=wq~0~7~2.5',
  'attend?by=numbers&text=1 0 2\n0 1 1\n2 1 nan&head=same&mask=none&added=100&step=output',
  'mask?rules=causal,drawn&drawn=8.8080808080808080&pattern=strided&size=0',
  'mask?hide=zero&overwritten=true&garbage=nan&pattern=window',
  'mask?hide=after&overwritten=true&garbage=huge&pattern=padding',
  'heads?writers=1010',
  'block',
  'block?norm=pre&off=norm2,residual1&positions=rotary&order=rotate&activation=gelu&measure=spread',
  'longer?mask=window&tokens=6&keys=3',
  'longer?head=same',
  'towers',
  'towers?mode=reverse&padding=2&flips=memoryMask.1.0!targetMask.2.1&source=one two three four',
];

/** All figures have programs in all three languages, but for times and rounding errors. */
const notToRepeat = ['measured', 'strassen-error', 'longer-measured'];

/** As many digits as the page shows: a program may add up in another order. */
const shownDigits = 1e-5;
/** After 24 blocks a rounding has grown; the figure's table has four digits. */
const shownAfterBlocks = 5e-4;

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

async function open(page: Page, address: string): Promise<Locator[]> {
  await page.goto('about:blank');
  await page.goto(`./#${address.replaceAll('\n', '%0A')}`);
  await page.locator('[data-variant]').waitFor();
  await page.locator('[data-take]').last().waitFor();
  await page.waitForTimeout(600); // every figure of the chapter has its answer
  return page.locator('[data-take]').all();
}

interface Copied {
  readonly name: string;
  readonly code: string;
}

/** What the figure's button of that language copies; null where there is none. */
async function copied(page: Page, take: Locator, language: string): Promise<Copied | null> {
  const button = take.getByRole('button', { name: language, exact: true });
  if ((await button.count()) === 0) return null;
  await button.click();
  await expect(take.getByRole('status')).toHaveText('Copied');
  const code = await page.evaluate(() => navigator.clipboard.readText());
  return { name: (await take.getAttribute('data-take'))!, code };
}

/** What the buttons of one language copy, figure by figure. */
async function programs(page: Page, address: string, language: string): Promise<Copied[]> {
  const found: Copied[] = [];
  for (const take of await open(page, address)) {
    const one = await copied(page, take, language);
    if (one) found.push(one);
    else
      expect(notToRepeat, `${language} of ${address}`).toContain(
        await take.getAttribute('data-take'),
      );
  }
  expect(found.length, `${language} programs of ${address}`).toBeGreaterThan(0);
  return found;
}

/** The numbers that the program says it should find, for their size. */
function expectClose(about: string, name: string, code: string, output: string): void {
  const found = /largest difference: (\S+)/.exec(output);
  expect(found, `${about}\n${output}`).not.toBeNull();
  const expected = code.slice(code.indexOf('What the page shows.'));
  const numbers = [...expected.matchAll(/-?\d+\.?\d*(?:e[+-]?\d+)?/gu)].map(([text]) =>
    Number(text),
  );
  const digits = name === 'depth' ? shownAfterBlocks : shownDigits;
  const scale = Math.max(1, ...numbers.filter(Number.isFinite).map(Math.abs));
  expect(Number(found![1]), name).toBeLessThanOrEqual(digits * scale);
}

/** A Python that has the module, where there is one. */
const python = (module: string) =>
  ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', `import ${module}`]).status === 0,
  );

function runCpp(programs: readonly Copied[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    for (const { name, code } of programs) {
      const source = join(folder, `${name}.cc`);
      const program = join(folder, name);
      writeFileSync(source, code);
      const options = ['-std=c++20', '-Wall', '-Wextra', '-Werror', `-I${join(root, 'core')}`];
      const built = spawnSync(
        'g++',
        [...options, source, ...libraries, '-pthread', '-o', program],
        {
          encoding: 'utf8',
        },
      );
      expect(built.stderr, `${name}\n${code.slice(0, 20_000)}`).toBe('');
      const run = spawnSync(program, { encoding: 'utf8', maxBuffer: 1 << 26 });
      expect(run.status, name).toBe(0);
      expectClose(name, name, code, run.stdout);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs programs, given as JSON, one after the other: a library is loaded once. Prints what they print. */
const runAll = `
import contextlib, io, json, sys, traceback
outputs = []
for program in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        except BaseException:
            print(traceback.format_exc())
    outputs.append(printed.getvalue())
json.dump(outputs, sys.stdout)
`;

function runPython(program: string, programs: readonly Copied[]): void {
  const input = JSON.stringify(programs.map(({ code }) => code));
  const run = spawnSync(program, ['-c', runAll], { encoding: 'utf8', input, maxBuffer: 1 << 26 });
  expect(run.status, run.stderr).toBe(0);
  const outputs = JSON.parse(run.stdout) as string[];
  for (const [i, { name, code }] of programs.entries()) {
    expectClose(`${name}\n${code.slice(0, 20_000)}`, name, code, outputs[i]);
  }
}

/** Syntax everywhere, digits where there is a PyTorch. */
function checkTorch(programs: readonly Copied[]): void {
  const check = 'import ast, json, sys; [ast.parse(program) for program in json.load(sys.stdin)]';
  const input = JSON.stringify(programs.map(({ code }) => code));
  const parsed = spawnSync('python3', ['-c', check], { encoding: 'utf8', input });
  expect(parsed.stderr).toBe('');
  const program = python('torch');
  if (program) runPython(program, programs);
}

for (const address of chapters) {
  test(`C++ compiles and finds the same: ${address}`, async ({ page }) => {
    test.skip(!libraries.every(existsSync), 'the native core is not built');
    runCpp(await programs(page, address, 'C++'));
  });
}

for (const address of chapters) {
  test(`NumPy finds the same: ${address}`, async ({ page }) => {
    const program = python('numpy');
    test.skip(!program, 'NumPy is not installed');
    runPython(program!, await programs(page, address, 'NumPy'));
  });

  test(`PyTorch: ${address}`, async ({ page }) => {
    checkTorch(await programs(page, address, 'PyTorch'));
  });
}

/** Of every example of chapter Check, and of what a visitor's own output should be. */
async function proofs(page: Page, language: string): Promise<Copied[]> {
  await open(page, 'check?sample=noScale');
  const found: Copied[] = [];
  await expect(page.locator('[data-all]')).not.toHaveAttribute('data-all', /^\d$/);
  for (const example of await page.locator('[data-example]').all()) {
    await example.getByRole('button').click();
    const id = (await example.getAttribute('data-example'))!;
    found.push((await copied(page, page.locator(`[data-take="check-${id}"]`), language))!);
  }
  const own = page.locator('[data-take="check-own"]');
  return [...found, (await copied(page, own, language))!];
}

test('the proof and one’s own case in C++', async ({ page }) => {
  test.skip(!libraries.every(existsSync), 'the native core is not built');
  runCpp(await proofs(page, 'C++'));
});

test('the proof and one’s own case in NumPy', async ({ page }) => {
  const program = python('numpy');
  test.skip(!program, 'NumPy is not installed');
  runPython(program!, await proofs(page, 'NumPy'));
});

test('the proof and one’s own case in PyTorch', async ({ page }) => {
  checkTorch(await proofs(page, 'PyTorch'));
});

/** The file that a button saves. */
async function saved(page: Page, take: Locator, kind: 'SVG' | 'PNG') {
  const download = page.waitForEvent('download');
  await take.getByRole('button', { name: kind }).click();
  const file = await download;
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

test('an SVG file holds the numbers as they are drawn', async ({ attend, page }) => {
  await attend.open({ step: 'weights', text: 'a <b> & c' });
  const drawn = await attend.drawn('weights');
  const { name, content } = await saved(page, page.locator('[data-take="weights"]'), 'SVG');
  expect(name).toBe('tril-weights.svg');
  const texts = await page.evaluate((svg) => {
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
    if (parsed.querySelector('parsererror')) throw new Error('not well-formed');
    const numbers = parsed.querySelectorAll('[data-matrix="weights"] [data-cell] text');
    return Array.from(numbers, (text) => text.textContent);
  }, content.toString('utf8'));
  expect(texts).toEqual(drawn.flat().map(({ text }) => text));
});

test('pictures of every figure can be read, and are as large as the figure', async ({ page }) => {
  for (const address of chapters.slice(0, 4)) {
    for (const take of await open(page, address)) {
      const about = `${address}: ${await take.getAttribute('data-take')}`;
      const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
      expect(svg, about).not.toMatch(/NaN|undefined|http:\/\/(?!www\.w3\.org|localhost)/u);
      // Colours that let others through are written so that every program understands them.
      if (svg.includes('<polygon'))
        expect(svg, about).toMatch(/<polygon[^>]*fill-opacity="0\.\d+"/);
      const shape = /width="(\d+)" height="(\d+)"><desc>/.exec(svg)!;
      const png = (await saved(page, take, 'PNG')).content;
      expect(png.subarray(1, 4).toString(), about).toBe('PNG');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)], about).toEqual([
        2 * Number(shape[1]),
        2 * Number(shape[2]),
      ]);
    }
  }
});

test('a link is copied', async ({ attend, page }) => {
  await attend.open({ head: 'first' });
  const take = page.locator('[data-take]').first();
  await take.getByRole('button', { name: 'Link' }).click();
  await expect(take.getByRole('status')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
});
