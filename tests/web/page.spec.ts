// The page as a whole: widths, 64 tokens, bad input, themes, policy, accessibility.
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits, expectNoSidewaysScroll } from './lessons.ts';
import { message } from './messages.ts';
import { readCanvas } from './pixels.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const steps = ['X', 'Q', 'Scores', 'Masked', 'Weights', 'Output'];
const long = Array.from({ length: 64 }, (_, i) => `word${i}`).join(' ');

/** Stops every animation at four moments. */
async function expectMotionFits(page: Page, where: string): Promise<void> {
  const widest = await page.evaluate(() => {
    const motions = document.getAnimations().filter((motion) => motion.playState === 'running');
    const { scrollWidth, clientWidth } = document.documentElement;
    const widths = [scrollWidth - clientWidth];
    for (const share of [0, 0.25, 0.5, 0.75]) {
      for (const motion of motions) {
        const { duration } = motion.effect!.getComputedTiming();
        motion.currentTime = share * Number(duration);
      }
      widths.push(document.documentElement.scrollWidth - clientWidth);
    }
    return Math.max(...widths);
  });
  expect(widest, `${where}, on its way`).toBe(0);
}

const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
for (const [name, text] of [
  ['eight tokens', 'the cat saw the dog chase the cat'],
  ['64 tokens', long],
  ['long words', `ein ${word} ${word}`],
]) {
  test(
    `fits any width, and the map is there: ${name}`,
    weekly(name, ['eight tokens']),
    async ({ attend, page }) => {
      await attend.open({ text });
      await expectFits(page, async () => {
        for (const step of steps) {
          await attend.step(step);
          await expectMotionFits(page, step);
          await expectNoSidewaysScroll(page, step);
        }
        await expect(page.getByRole('link', { name: message('shell.parts.v') })).toBeInViewport();
      });
    },
  );
}

test('64 tokens: every cell of the canvas can be reached and explained', async ({
  attend,
  page,
}) => {
  await attend.open({ text: long, head: 'previous', strict: '12', step: 'weights' });
  const grid = attend.grid('weights');
  await expect(grid.locator('canvas')).toHaveCount(1);
  await grid.focus();
  for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowDown');
  for (let i = 0; i < 19; ++i) await page.keyboard.press('ArrowRight');
  await expect(attend.why).toContainText('weights[word20, word19]');
  const shown = Number(await attend.why.locator('[data-value]').textContent());
  expect(shown).toBeGreaterThan(0.9);
  // The strongest cell of its row is drawn strongest, by the pixels of the canvas.
  const { width, data } = await readCanvas(grid.locator('canvas'));
  const place = (index: number) => Math.floor(((index + 0.5) * width) / 64);
  const red = (row: number, col: number) => data[4 * (place(row) * width + place(col))];
  const [strong, weak] = [red(20, 19), red(20, 3)];
  expect(strong).toBeLessThan(40);
  expect(weak).toBeGreaterThan(200);
  await page.getByLabel(message('attend.numbersToggle')).check();
  await expect(grid.locator('canvas')).toHaveCSS('width', `${64 * 30}px`);
});

test('more than 64 tokens: said, not dropped in silence', async ({ attend, page }) => {
  await attend.open({ text: `${long} and some more` });
  await expect(
    page.getByText(message('attend.input.cut.words', { shown: 64, found: 67 })),
  ).toBeVisible();
  await attend.open({
    by: 'numbers',
    text: Array(70).fill(Array(14).fill(1).join(' ')).join('\n'),
  });
  await expect(
    page.getByText(
      message('attend.input.cutNumbers', { rows: 64, foundRows: 70, cols: 12, foundCols: 14 }),
    ),
  ).toBeVisible();
});

test('no text, one token, bad numbers: words, never a blank page', async ({ attend, page }) => {
  await attend.open();
  await page.getByLabel(message('attend.input.label')).fill('   ');
  await expect(page.getByText(message('attend.input.empty'))).toBeVisible();
  await page.getByLabel(message('attend.input.label')).fill('alone');
  await attend.step('Weights');
  await expect(attend.cell('weights', 0, 0)).toHaveText('1.00');
  await page
    .getByRole('radio', { name: message('attend.input.modes.numbers'), exact: true })
    .click();
  await page.getByLabel(message('attend.input.numbersLabel')).fill('1 2\n3');
  await expect(page.getByRole('alert')).toContainText(
    message('attend.ragged', { row: 2, found: 1, wanted: 2 }),
  );
  await page.getByLabel(message('attend.input.numbersLabel')).fill('1 2\n3 x');
  await expect(page.getByRole('alert')).toContainText(
    message('attend.notANumber', { row: 2, found: 'x' }),
  );
  await page.getByLabel(message('attend.input.numbersLabel')).fill('1 2\n3 nan');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await attend.step('X');
  await expect(attend.cell('x', 1, 2)).toHaveText('NaN');
  await page.getByRole('radio', { name: message('attend.input.modes.words'), exact: true }).click();
  await expect(page.getByLabel(message('attend.input.label'))).toHaveValue('alone');
});

test('where the core cannot be loaded the page says so', async ({ page, guard }) => {
  guard.expect(/\.wasm|Failed to load|both async and sync|instantiation/);
  await page.route('**/*.wasm', (route) => route.abort());
  await page.goto('./attend/');
  await expect(page.getByRole('alert')).toContainText(message('shell.trouble'));
  await expect(page.getByLabel(message('attend.input.label'))).toBeVisible();
});

test('pasted rows of numbers are recognised', async ({ attend, page }) => {
  await attend.open();
  await page.getByLabel(message('attend.input.label')).fill('1\t2\n3\t4');
  await page.getByRole('button', { name: message('attend.input.readAsNumbers') }).click();
  await expect(
    page.getByRole('radio', { name: message('attend.input.modes.numbers'), exact: true }),
  ).toHaveAttribute('aria-checked', 'true');
  await expect(attend.cell('x', 1, 2)).toHaveText(message('attend.dials.0'));
});

test('the theme follows the system until it is chosen, and the choice is kept', async ({
  attend,
  page,
}) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await attend.open();
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.getByRole('button', { name: message('shell.theme.light') }).click();
  expect(await background()).toBe(light);
  await page.reload();
  await page.locator('[data-variant]').waitFor();
  expect(await background()).toBe(light);
  await page.getByRole('button', { name: message('shell.theme.dark') }).click();
  expect(await background()).toBe(dark);
});

test('the policy allows own files only, and no inline script', async ({ attend, page, guard }) => {
  guard.expect(/Executing inline script violates/);
  await attend.open();
  const policy = await page
    .locator('meta[http-equiv="Content-Security-Policy"]')
    .getAttribute('content');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval' 'sha256-[\w+/]+='/);
  expect(policy).not.toMatch(/'unsafe-eval'|\*|https?:/);
  expect(policy!.match(/[\w-]+ 'unsafe-inline'/g)).toEqual(["style-src-attr 'unsafe-inline'"]);
  expect(await page.locator('script:not([src])').count()).toBe(1);
  // The policy holds: an inline script does not run.
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    let blocked = false;
    document.addEventListener('securitypolicyviolation', () => (blocked = true), { once: true });
    document.head.append(script);
    return new Promise((done) => setTimeout(() => done({ blocked, ran: 'ran' in window }), 50));
  });
  expect(ran).toEqual({ blocked: true, ran: false });
});

test.describe('axe finds nothing, light and dark', () => {
  for (const [name, query] of Object.entries({
    input: { step: 'x', text: 'one two three' },
    'an edited weight': { step: 'q', edits: 'wq~0~7~3', pin: 'wq.0.7', text: 'one two three' },
    'a pinned score': { step: 'scores', pin: 'scores.1.2', text: 'one two three' },
    '64 tokens': { step: 'weights', text: long },
    output: { step: 'output', text: 'one two three' },
    numbers: { by: 'numbers', text: '1 2\n3 nan', step: 'masked' },
    'a broken link': { step: 'nonsense', text: 'one two three' },
  } as Record<string, Record<string, string>>)) {
    test(name, async ({ attend, page }) => {
      await attend.open(query);
      if (name !== '64 tokens') await attend.table();
      await expectAccessible(page, name === 'a broken link' ? undefined : '#steps');
    });
  }
});
