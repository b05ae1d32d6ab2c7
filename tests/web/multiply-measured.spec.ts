// Chapter "Multiply": its measurements on this machine.
import { expectAnswer } from './asks.ts';
import type { Page } from '@playwright/test';
import { readChart } from './drawn.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectTablesFit } from './lessons.ts';
import { message, messagePattern, valuesIn } from './messages.ts';
import { tril } from './oracle.ts';
import { weekly } from './weekly.ts';
import { holdWorkers, inPage } from './workers.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'multiply')),
});

const peak = new RegExp(
  `^${messagePattern('multiply.measured.peak').source.replace('.*?', '[\\d.]+')}$`,
  'u',
);

test('a guess about this machine is answered by a race on it', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#measured .ask');
  await ask.getByRole('button', { name: message('multiply.measured.ratios.0') }).click();
  const answer = ask.locator('[data-answer]');
  const slow = message('multiply.measured.runners.ijk');
  const fast = message('multiply.measured.runners.tiled');
  const keys = ['right', 'more', 'less'].map((how) => `multiply.measured.says.${how}`);
  const forms = keys.map((key) => messagePattern(key, { slow, fast }).source);
  await expect(answer).toHaveText(new RegExp(forms.join('|'), 'u'));
  const said = (await answer.textContent())!;
  const values = keys.map((key) => valuesIn(key, said)).find(Boolean)!;
  for (const time of [values.a, values.b]) expect(time).toMatch(/^[\d.]+ (?:ms|µs)$/u);
  // The right guess depends on the measurement, whatever that is.
  const ratio = Number(values.ratio);
  await expectAnswer(ask, ratio < 1.5 ? 'right' : 'wrong');
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
});

test('measures in a Worker, can be cancelled, and the page goes on meanwhile', async ({
  lesson,
  page,
}) => {
  test.slow();
  await lesson.open({ step: '0' });
  await page.getByRole('button', { name: message('multiply.measured.start'), exact: true }).click();
  const state = page.locator('#measured [data-state]').first();
  await expect(state).toHaveAttribute('data-state', 'running');
  // All of this with a core kept busy.
  await lesson
    .stepper('readings')
    .getByRole('button', { name: message('figures.player.step') })
    .click();
  await expect(lesson.figure('readings')).toHaveAttribute('data-done', '1');
  await page.locator('[data-runner="tiled"] [data-median]').first().waitFor({ timeout: 60_000 });
  const row = page.locator('[data-runner="tiled"]');
  expect(Number(await row.locator('[data-n="16"]').getAttribute('data-median'))).toBeGreaterThan(0);
  await expect(page.locator('#measured svg .level text')).toHaveText(peak);
  await page.getByRole('button', { name: message('multiply.measured.cancel') }).click();
  await expect(state).toHaveAttribute('data-state', 'cancelled');
  await expect(
    page.getByRole('button', { name: message('multiply.measured.again') }),
  ).toBeVisible();
});

test(
  'a whole measurement: speeds under the peak, an exponent each, a word on Strassen',
  weekly(),
  async ({ lesson, page }) => {
    test.setTimeout(300_000);
    await lesson.open();
    await page.getByRole('radio', { name: '256', exact: true }).click();
    await page
      .getByRole('button', { name: message('multiply.measured.start'), exact: true })
      .click();
    const state = page.locator('#measured [data-state]').first();
    await expect(state).toHaveAttribute('data-state', 'finished', { timeout: 240_000 });
    await expect(page.locator('#measured tbody tr')).toHaveCount(11);
    for (const row of await page.locator('#measured tbody tr').all()) {
      const exponent = await row.locator('[data-exponent]').textContent();
      // On a busy machine some exponents may be unknown: then the times say why.
      if (exponent === '?') expect(await row.locator('.unsteady').count()).toBeGreaterThan(0);
      else expect(Number(exponent)).toBeGreaterThan(0);
    }
    // Each speed follows from the core's operations and the time of that cell.
    const core = await tril();
    const { flops } = core.cost.matmul({ rows: 256, depth: 256, cols: 256 });
    for (const runner of ['tiled', 'ijk', 'javascript']) {
      const cell = page.locator(`[data-runner="${runner}"] [data-n="256"]`);
      const speed = core.cost.gigaflops(flops, Number(await cell.getAttribute('data-median')));
      const shown = Number(await cell.textContent());
      expect(Math.abs(shown - speed), runner).toBeLessThanOrEqual(0.01 * speed + 0.005);
    }
    await expect(page.locator('[data-crossover]')).toBeVisible();
    // On a phone there are fewer sizes, and no scrolling.
    await expectTablesFit(page);
    await expect(page.locator('#measured thead .mono')).toHaveText(['16', '64', '256']);
  },
);

/** The number of measuring sessions that the page began or cancelled, by the messages to its Workers. */
const posted = (page: Page, what: 'begin' | 'cancel') =>
  inPage(page, ({ posted: all }) => JSON.stringify(all)).then(
    (all) =>
      (JSON.parse(all) as { what: string; kind?: string }[]).filter(
        (one) => one.what === what && (what === 'cancel' || one.kind === 'products'),
      ).length,
  );
/** Half a unit in the last digit. */
const halfOf = (text: string) => 0.5 * 10 ** -(text.split('.')[1]?.length ?? 0);
/** Waits for two paints, so that the page has noticed what is near. */
const painted = (page: Page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

test('the axes hold points of this machine before anything is pressed', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const section = page.locator('#measured');
  await section.scrollIntoViewIfNeeded();
  await expect(section.locator('[data-glanced]')).toHaveAttribute('data-glanced', '12');
  await expect(section.locator('[data-state="idle"]')).toContainText(
    message('multiply.measured.glanced'),
  );
  await expect(section.locator('svg .level text')).toHaveText(peak);
  // Each dot's title names a speed that fits its size and its time.
  const { cost } = await tril();
  const said = await section.locator('circle title').allTextContents();
  expect(said).toHaveLength(12);
  for (const title of said) {
    const found = valuesIn('multiply.measured.point', title);
    expect(found, title).toBeDefined();
    const { n, speed, median } = found!;
    const [time, unit] = median.split(' ');
    expect(['ms', 'µs'], title).toContain(unit);
    const { flops } = cost.matmul({ rows: +n, depth: +n, cols: +n });
    const at = (one: number) => cost.gigaflops(flops, one * (unit === 'ms' ? 1 : 1e-3));
    const half = halfOf(time);
    expect(+speed + halfOf(speed), title).toBeGreaterThanOrEqual(0.999 * at(+time + half));
    expect(+speed - halfOf(speed), title).toBeLessThanOrEqual(1.001 * at(+time - half));
  }
  const { lines } = await readChart(section.locator('svg[role=img]'));
  for (const runner of ['javascript', 'ikj', 'blocked', 'eigen']) {
    expect(lines[runner], runner).toHaveLength(3);
  }
  // A preview has no table, no exponent and no verdict.
  await expect(section.locator('table')).toHaveCount(0);
  // A full measurement replaces the preview point by point; points not yet measured stay.
  await section
    .getByRole('button', { name: message('multiply.measured.start'), exact: true })
    .click();
  await expect(section.locator('[data-state="running"]')).toBeVisible();
  expect(await section.locator('circle').count()).toBeGreaterThanOrEqual(12);
  await section.getByRole('button', { name: message('multiply.measured.cancel') }).click();
});

test('a first look is given up where it is left, and taken when one comes back', async ({
  lesson,
  page,
}) => {
  await holdWorkers(page);
  await lesson.open();
  await inPage(page, (held) => void (held.hold = 'products'));
  expect(await posted(page, 'begin')).toBe(0);
  const section = page.locator('#measured');
  await section.scrollIntoViewIfNeeded();
  await expect.poll(() => posted(page, 'begin')).toBe(1);
  await expect(section.locator('[data-glanced]')).toHaveCount(0);
  await expect(section.locator('svg')).toBeVisible(); // only its axes, so far
  const before = await posted(page, 'cancel');
  await page.evaluate(() => scrollTo(0, 0));
  await expect.poll(() => posted(page, 'cancel')).toBe(before + 1);
  await inPage(page, (held) => void (held.hold = ''));
  await section.scrollIntoViewIfNeeded();
  await expect(section.locator('[data-glanced]')).toHaveAttribute('data-glanced', '12');
});

test('nothing is measured unasked in a hidden tab, or where data are to be saved', async ({
  lesson,
  page,
}) => {
  await holdWorkers(page);
  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  });
  await lesson.open();
  const section = page.locator('#measured');
  await section.scrollIntoViewIfNeeded();
  await painted(page);
  expect(await posted(page, 'begin')).toBe(0);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(section.locator('[data-glanced]')).toHaveAttribute('data-glanced', '12');

  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    Object.defineProperty(navigator, 'connection', { get: () => ({ saveData: true }) });
  });
  await lesson.open();
  await section.scrollIntoViewIfNeeded();
  await painted(page);
  expect(await posted(page, 'begin')).toBe(0);
  await expect(section.locator('[data-state="idle"]')).toContainText(
    message('multiply.measured.idle'),
  );
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('nothing stands for what nobody has measured', async ({ page, guard }) => {
    guard.expect(/^failed, csp: /);
    await page.goto('./multiply/');
    const card = page.locator('#measured .card');
    const said = card.locator('noscript');
    await expect(said).toBeVisible();
    expect(await said.evaluate((one) => one.textContent)).toContain(message('shell.notMade'));
    await expect(card.locator('svg, table')).toHaveCount(0);
  });
});
