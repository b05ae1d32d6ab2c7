// Chapter "Multiply": what it measures on this machine.
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectTablesFit } from './lessons.ts';
import { tril } from './oracle.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'multiply')),
});

test('a guess about this machine is answered by a race on it', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#measured .ask');
  await ask.getByRole('button', { name: 'less than 1.5' }).click();
  const form =
    /^i j k took [\d.]+ (?:ms|µs), tiled [\d.]+ (?:ms|µs): ([\d.]+) times as fast\.(?: Something else .*)?$/;
  const answer = ask.locator('[data-answer]');
  await expect(answer).toHaveText(form);
  // Which guess is right follows from what was measured, whatever that is.
  const ratio = Number(form.exec((await answer.textContent())!)![1]);
  await expect(ask).toContainText(ratio < 1.5 ? 'Yes.' : 'Not quite.');
  await ask.getByRole('button', { name: 'Another' }).click();
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
});

test('measures in a Worker, can be cancelled, and the page goes on meanwhile', async ({
  lesson,
  page,
}) => {
  test.slow();
  await lesson.open({ step: '0' });
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const state = page.locator('#measured [data-state]').first();
  await expect(state).toHaveAttribute('data-state', 'running');
  // All of this while a core is kept busy.
  await lesson.stepper('readings').getByRole('button', { name: 'Step on' }).click();
  await expect(lesson.figure('readings')).toHaveAttribute('data-done', '1');
  await page.locator('[data-runner="tiled"] [data-median]').first().waitFor({ timeout: 60_000 });
  const row = page.locator('[data-runner="tiled"]');
  expect(Number(await row.locator('[data-n="16"]').getAttribute('data-median'))).toBeGreaterThan(0);
  await expect(page.locator('#measured svg .level text')).toHaveText(/^peak [\d.]+$/);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(state).toHaveAttribute('data-state', 'cancelled');
  await expect(page.getByRole('button', { name: 'Measure again' })).toBeVisible();
});

test('a whole measurement: speeds under the peak, an exponent each, a word on Strassen', async ({
  lesson,
  page,
}) => {
  test.setTimeout(300_000);
  await lesson.open();
  await page.getByRole('radio', { name: '256', exact: true }).click();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const state = page.locator('#measured [data-state]').first();
  await expect(state).toHaveAttribute('data-state', 'finished', { timeout: 240_000 });
  await expect(page.locator('#measured tbody tr')).toHaveCount(11);
  for (const row of await page.locator('#measured tbody tr').all()) {
    const exponent = await row.locator('[data-exponent]').textContent();
    // On a machine that does something else, some may not be told: then the times say why.
    if (exponent === '?') expect(await row.locator('.unsteady').count()).toBeGreaterThan(0);
    else expect(Number(exponent)).toBeGreaterThan(0);
  }
  // Each speed is the core's for the operations and the time of that cell.
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
});
