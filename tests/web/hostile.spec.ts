// Texts that break out of their context, typed into every field of every chapter: the page goes on, and every program
// that quotes one is valid.
import type { Page } from '@playwright/test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { hostile } from './hostile.ts';
import { codecs, full } from './links.ts';
import { message, messagePattern } from './messages.ts';
import { unfold } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

/** Fields that take any text: in a number field the browser keeps only numbers. */
const fields =
  'main :is(textarea, input:not([type="range"], [type="checkbox"], [type="radio"], [type="file"], [type="number"])):enabled:visible';
/** The languages of programs that quote the typed text. */
const languages = ['numpy', 'pytorch', 'cpp'].map((name) => message(`figures.take.code.${name}`));
/** Marker texts that identify the programs that quote them, typed before all others and after. */
const [plain, last] = ['qqz', 'zqq'];

interface Copying {
  readonly copies: string[];
}

/** Collects copies in a list, since a clipboard holds only one. */
const keepCopies = (page: Page) =>
  page.addInitScript(() => {
    const copies: string[] = [];
    Object.assign(window, { copies });
    const clipboard = {
      writeText: async (text: string) => void copies.push(text),
      write: async ([item]: ClipboardItem[]) => {
        const blob = await item.getType('text/plain');
        copies.push(await blob.text());
      },
    };
    Object.defineProperty(navigator, 'clipboard', { value: clipboard });
  });

const copiesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as Copying).copies.splice(0));

/** The buttons that load a chapter's models, without which its fields do nothing. */
const loads: Readonly<Record<string, readonly [button: string, there: string][]>> = {
  model: [['model.load.button', '[data-live="true"]']],
  meaning: [
    ['meaning.load.all', '[data-words="finished"]'],
    ['meaning-senses.load', '[data-senses="there"]'],
  ],
};

async function openFull(page: Page, id: string): Promise<void> {
  await page.goto(`./${id === 'home' ? '' : `${id}/`}#?${full[id]}`);
  await page.locator('[data-variant]').first().waitFor();
  for (const [button, there] of loads[id] ?? []) {
    await page
      .getByRole('button', { name: messagePattern(button) })
      .first()
      .click();
    await page.locator(there).first().waitFor();
  }
  for (const card of await page.locator('main .card').all()) await card.scrollIntoViewIfNeeded();
  await unfold(page);
}

/** A button that copies a program, by its figure's name and its own. */
type Button = readonly [figure: string, name: string];

/** The program that a button copies. */
async function copied(page: Page, [figure, name]: Button): Promise<string> {
  await copiesOf(page);
  await page
    .locator(`main [data-take="${figure}"]`)
    .getByRole('button', { name, exact: true, includeHidden: true }) // the menu may be closed
    .evaluate((button: HTMLElement) => button.click());
  await page.waitForFunction(() => (window as unknown as Copying).copies.length > 0);
  return (await copiesOf(page))[0];
}

/** The buttons whose programs quote the typed text. */
async function quoting(page: Page): Promise<Button[]> {
  const buttons = await page
    .locator('main [data-take] button')
    .evaluateAll((all) =>
      all.map((one): Button => [
        one.closest<HTMLElement>('[data-take]')!.dataset.take!,
        one.textContent!.trim(),
      ]),
    );
  const found: Button[] = [];
  for (const button of buttons) {
    if (!languages.includes(button[1])) continue;
    if ((await copied(page, button)).includes(plain)) found.push(button);
  }
  return found;
}

/** Types each text into the nth field, and after each copies the programs of these buttons. */
const typeAll = (page: Page, nth: number, texts: readonly string[], buttons: readonly Button[]) =>
  page
    .locator(fields)
    .nth(nth)
    .evaluate(
      async (field, given) => {
        const frame = () => new Promise(requestAnimationFrame);
        for (const text of given.texts) {
          const input = field as HTMLInputElement;
          input.value = text;
          for (const name of ['input', 'change']) {
            input.dispatchEvent(new Event(name, { bubbles: true }));
          }
          await frame();
          await frame();
          for (const [figure, name] of given.buttons) {
            const all = document.querySelectorAll<HTMLElement>(
              `main [data-take="${figure}"] button`,
            );
            [...all].find((one) => one.textContent!.trim() === name)?.click();
          }
        }
      },
      { texts, buttons },
    );

/** Expects Python to parse every Python program, and to find nothing in it that a visitor has typed as code. */
function expectPrograms(codes: readonly string[]): void {
  const python = codes.filter((code) => !code.startsWith('//'));
  const parse = `import ast, json, sys
for code in json.load(sys.stdin):
    tree = ast.parse(code)
    for one in ast.walk(tree):
        assert not isinstance(one, ast.Raise) and getattr(one, "id", "") not in ("raise", "SystemExit"), code[:2000]`;
  const parsed = spawnSync('python3', ['-c', parse], {
    encoding: 'utf8',
    input: JSON.stringify(python),
    maxBuffer: 1 << 26,
  });
  expect([parsed.status, parsed.stderr]).toEqual([0, '']);
  const cpp = codes.filter((code) => code.startsWith('//'));
  if (cpp.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    const files = cpp.map((code, i) => {
      const file = join(folder, `${i}.cc`);
      writeFileSync(file, code);
      return file;
    });
    const options = ['-fpreprocessed', '-dD', '-E', '-P', '-Wall', '-Wextra', '-Werror'];
    const seen = spawnSync('g++', [...options, ...files], { encoding: 'utf8', maxBuffer: 1 << 28 });
    expect([seen.status, seen.stderr]).toEqual([0, '']);
    expect(seen.stdout.match(/^int main\(\) \{$/gmu)).toHaveLength(cpp.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const id of Object.keys(codecs)) {
  const details = weekly(id, ['attend', 'check']);
  test(
    `${id}: whatever is typed, the page goes on and its programs are programs`,
    details,
    async ({ page }) => {
      await keepCopies(page);
      await openFull(page, id);
      await still(page);
      const all = page.locator(fields);
      const programs = new Set<string>();
      for (let nth = 0; nth < (await all.count()); ++nth) {
        const field = all.nth(nth);
        const before = await field.inputValue();
        await field.fill(plain);
        await still(page);
        const buttons = await quoting(page);
        await typeAll(page, nth, hostile, buttons);
        for (const code of await copiesOf(page)) programs.add(code);
        // A program may still quote the previous text: wait for the last one.
        await field.fill(`""" ${last}`);
        for (const button of buttons) {
          await expect.poll(() => copied(page, button)).toContain(last);
        }
        await field.fill(before);
      }
      expectPrograms([...programs]);
      await expect(page.locator('h1').first()).toBeVisible();
    },
  );
}
