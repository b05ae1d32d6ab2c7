// The page that `tril look --html` writes: opened as a single file, it shows the numbers of the program.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { expectFaultless } from './axe.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'build/native/native/cli/tril');
const model = ['--model', join(root, 'models/gpt'), '--prompt', 'The cat sat. </script>\n'];
const [layer, head, row] = [1, 2, 5];

interface Report {
  readonly texts: readonly string[];
  readonly layers: number;
  readonly heads: number;
  readonly weights: readonly (readonly number[])[];
}
function look(...more: string[]): Report {
  const { stdout, stderr } = spawnSync(program, ['look', ...model, ...more, '--json'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Report;
}

let folder = '';
test.beforeAll(() => {
  if (!process.env.CI) test.skip(!existsSync(program), 'the command line is not built');
  folder = mkdtempSync(join(tmpdir(), 'tril-look-'));
});
test.afterAll(() => {
  if (folder) rmSync(folder, { recursive: true });
});

test('the page of tril look shows every head, and the numbers of the one that is chosen', async ({
  page,
}) => {
  const file = join(folder, 'look.html');
  const { texts, layers, heads, weights } = look(
    ...['--layer', String(layer), '--head', String(head), '--html', file],
  );
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().endsWith('look.html')) trouble.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  await expect(page.locator('#heads button')).toHaveCount(layers * heads);
  await page.getByRole('button', { name: `layer ${layer}, head ${head}`, exact: true }).click();
  await page
    .locator('#text span')
    .nth(row - 1)
    .click();
  await page.locator('#text').press('ArrowRight');
  const words = texts.map((text) => text.replace('\n', '\u23ce'));
  expect(await page.locator('#text span').allInnerTexts()).toEqual(words);
  const rows = page.locator('tbody tr');
  await expect(rows).toHaveCount(texts.length);
  for (const [t, shares] of weights.entries()) {
    const cells = await rows.nth(t).locator('td').allInnerTexts();
    expect(cells).toEqual(
      shares.map((share) => (share < 0.005 ? '' : String(Math.round(100 * share)))),
    );
  }
  const said = page.locator('#said');
  const most = Math.max(...weights[row]);
  await expect(said).toContainText(`takes ${most.toFixed(4)} of`);
  await rows.nth(row).locator('td').first().hover();
  await expect(said).toContainText(`takes ${weights[row][0].toFixed(4)} of`);
  await page.locator('#heads button[aria-pressed="true"]').focus();
  await page.keyboard.press('ArrowRight');
  await expect(said).toContainText(`Layer ${layer}, head ${head + 1}`);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await page.evaluate(over)).toBe(0);
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectFaultless(page, { where: colorScheme });
  }
  expect(trouble).toEqual([]);
});
